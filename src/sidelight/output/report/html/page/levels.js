// The same data at several significance levels: how many edges, and which pairs change.
function setUpLevels() {
  const { levels } = report;
  byId("levels").hidden = !levels;
  if (!levels) return;
  const row = (cells) => make("tr", {}, ...cells.map((value) => numberCell(value.toLocaleString("en"))));
  byId("level-counts").querySelector("tbody").append(...levels.counts.map(row));
  const changes = levels.changes.map(([x, y, ways]) => ({ x, y, ways }));
  byId("changes").hidden = !changes.length;
  const many = changes.length === 1 ? "1 pair changes" : `${plural(changes.length, "pair")} change`;
  byId("changes-words").textContent = changes.length
    ? `${many}. → is from the first to the second variable${isPag ? "" : ", — not directed"}, · not adjacent.`
    : "The graph is the same at all of them.";
  if (!changes.length) return;
  new SortedTable("changing", changeColumns(levels.counts), changes, {
    fits: () => true,
    pair: ({ x, y }) => [x, y],
    count: () => {},
    most: MOST_ROWS,
  });
}

function changeColumns(counts) {
  return [
    { title: "First", value: ({ x }) => names[x], cell: ({ x, y }) => leadingCell(x, `${names[x]} and ${names[y]}`) },
    { title: "Second", value: ({ y }) => names[y], cell: ({ y }) => nameCell(y) },
    ...counts.map(([alpha], i) => ({
      title: alpha,
      value: ({ ways }) => ways[i],
      cell: ({ ways }) => signCell(ways[i] || "·"),
      hint: `At significance level ${alpha}`,
    })),
  ];
}
