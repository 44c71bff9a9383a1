// All pairs that are ever adjacent among the resamples, those that these disagree most about first.
const METHODS = {
  bootstrap: "rows drawn with replacement",
  subsample: "subsamples of the rows",
  "complementary-pairs": "complementary halves of the rows",
};

function learnedSign(x, y) {
  const edge = edges[edgeOf.get(pairKey(x, y))];
  if (!edge) return "not adjacent";
  return edge.tail === x ? edgeSign(edge) : turnedSign(edgeSign(edge));
}

function setUpDoubts() {
  byId("doubtful").hidden = !shares;
  if (!shares) return;
  const pairs = shares.pairs
    .map(([x, y]) => ({ x, y, sign: learnedSign(x, y), ...pairCounts(x, y) }))
    .sort((a, b) => a.x - b.x || a.y - b.y);
  for (const pair of pairs) pair.doubt ??= doubt(pair);
  byId("doubtful-words").textContent =
    `${plural(shares.resamples, "resample")} (${METHODS[shares.method]}). ` +
    (isPag ? "" : "→ is from the first to the second variable; ") +
    "± is the standard error of the share that is adjacent, in percentage points. " +
    "Doubt is how far the resamples disagree on whether there is an edge, or on which kind of edge it is.";
  const all = pairs.length;
  const table = new SortedTable("pairs", doubtColumns(), pairs, {
    fits: fitsFields,
    pair: ({ x, y }) => [x, y],
    count: (count) => {
      byId("doubtful-heading").textContent = `${ofAll(count, all, "pair")} adjacent in some resample`;
    },
    column: doubtColumns().length - 1,
    most: MOST_ROWS,
  });
  byId("pairs-filter").addEventListener("input", () => table.fill());
  byId("pairs-kind").addEventListener("change", () => table.fill());
}

function doubtColumns() {
  const counted = (title, key, hint) => ({
    title,
    value: (pair) => pair[key],
    cell: (pair) => numberCell(percent(pair[key])),
    hint,
    falls: true,
  });
  const error = ({ adjacent }) => 100 * Math.sqrt((share(adjacent) * (1 - share(adjacent))) / shares.resamples);
  return [
    { title: "First", value: ({ x }) => names[x], cell: ({ x, y }) => leadingCell(x, `${names[x]} and ${names[y]}`) },
    { title: "Learned graph", value: ({ sign }) => sign, cell: ({ sign }) => signCell(sign) },
    { title: "Second", value: ({ y }) => names[y], cell: ({ y }) => nameCell(y) },
    counted("Adjacent", "adjacent", "In which share of the resamples there is an edge"),
    ...(isPag ? markColumns() : directionColumns(counted)),
    {
      title: "± points",
      value: error,
      cell: (pair) => numberCell(error(pair).toFixed(1)),
      hint: "The standard error of the share of adjacency that comes from drawing so few resamples, in percentage points",
      falls: true,
    },
    {
      title: "Doubt",
      value: (pair) => pair.doubt,
      cell: (pair) => numberCell(`${Math.round(100 * pair.doubt)} %`),
      hint: "How far the resamples disagree: on whether there is an edge, or on which way it points",
      falls: true,
    },
  ];
}

function directionColumns(counted) {
  return [
    counted("→", "forward", "In which share of the resamples the edge points from the first to the second"),
    counted("←", "backward", "In which share of the resamples the edge points from the second to the first"),
    counted("Undirected", "undirected", "In which share of the resamples the direction is not determined"),
  ];
}

function fitsFields({ x, y, sign }) {
  const wanted = byId("pairs-filter").value.trim().toLocaleLowerCase();
  const kind = byId("pairs-kind").value;
  const named = folded[x].includes(wanted) || folded[y].includes(wanted);
  return named && (!kind || (sign === "not adjacent") === (kind === "missing"));
}
