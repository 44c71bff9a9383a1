// A PAG: arrows, tails and circles at both ends of an edge, what they say, and how they are drawn.
const isPag = report.marks !== undefined;
const ROLES = {
  "←": "Causes",
  "→": "Effects",
  "↔": "With a hidden common cause",
  "←○": "Causes, or with a hidden common cause",
  "○→": "Effects, or with a hidden common cause",
  "○—○": "Neighbours whose marks are open",
  "—": "Both cause what the rows were selected on",
  "—○": "Effects, or what the rows were selected on",
  "○—": "Causes, or what the rows were selected on",
};

function markedNeighbours({ signs }) {
  return Object.entries(ROLES).flatMap(([sign, words]) => group(words, signs.get(sign) ?? []));
}

function markCounts() {
  return report.marks.map(([sign]) => [sign, edges.filter((edge) => edgeSign(edge) === sign).length]);
}

// Among the PAGs of resamples: how often a pair is adjacent, and each mark at its first and second variable.
function markCountsOf(a, b) {
  const [adjacent, first, second, words, doubt] = countsOf.get(pairKey(a, b)) ?? [0, [0, 0, 0], [0, 0, 0]];
  return { adjacent, first, second, words, doubt };
}

function markColumns() {
  return ["first", "second"].map((end) => ({
    title: `Mark at the ${end}`,
    value: (pair) => pair[end][0],
    cell: (pair) => make("td", { text: marksInWords(pair[end]) }),
    hint: `In which share of the resamples each mark stands at the ${end} variable; sorted by arrows`,
    falls: true,
  }));
}

function marksInWords(counts) {
  const marks = ["arrow", "tail", "circle"].map((mark, i) => [counts[i], mark]).filter(([count]) => count);
  return marks.sort(([one], [other]) => other - one).map(([count, mark]) => `${mark} ${percent(count)}`).join(", ");
}

// The classes of an edge: which mark is drawn at its start, and which at its end.
function markClasses({ sign, visible }) {
  const [first, last] = [sign[0], sign.at(-1)];
  const start = first === "○" ? "start-circle" : "←↔".includes(first) ? "start-arrow" : "";
  const end = last === "○" ? "end-circle" : "→↔".includes(last) ? "end-arrow" : "";
  return `marked ${start} ${end} ${visible && !shares ? "visible" : ""} ${sign === "↔" ? "mutual" : ""}`;
}

function markersOfMarks() {
  if (!isPag) return [];
  return [
    marker("arrow", "mutual", draw("path", { d: "M0 1 10 5 0 9z" })),
    ...["plain", "strong"].map((kind) => marker("circle", kind, draw("circle", { cx: 5, cy: 5, r: 3.8 }))),
  ];
}

// The legend has the kinds of edges that there are, in place of arrows and lines.
function setUpMarks() {
  if (!isPag) return;
  const keys = report.marks.map(([sign, meaning]) => {
    const [, ends, words] = meaning.match(/^(.*?): (.*)$/);
    return make("span", {}, make("b", { class: sign === "↔" ? "sign mutual" : "sign", text: ends }), words);
  });
  const bold = make("span", {}, make("i", { class: "key visible" }), "bold: nothing hidden causes both");
  const added = [...keys, ...(!shares && edges.some(({ visible }) => visible) ? [bold] : [])];
  document.querySelectorAll(".of-directions").forEach((key) => key.remove());
  byId("legend").prepend(...added);
  byId("edges").closest("section").classList.add("wide");
}
