// The sign and the size of each edge's effect: the colour of the edge, and a number on its line, as in still pictures.
const isSigned = edges.some(({ tint }) => tint);
const TINTS = { 1: "positive", "-1": "negative", 0: "" };

function addNumber(built, { number, along, tint }) {
  if (TINTS[tint]) built.element.classList.add(TINTS[tint]);
  if (!number) return;
  const text = draw("text");
  text.textContent = number;
  const paper = draw("rect", { height: 12, y: -6, rx: 2 });
  Object.assign(built, { along, number: draw("g", { class: `number ${TINTS[tint]}` }, paper, text) });
}

// Letters are as wide as the reader's font has them.
function fitNumbers() {
  for (const { number } of graph.edges) {
    if (!number) continue;
    const [paper, text] = number.children;
    const width = text.getComputedTextLength() + 2;
    paper.setAttribute("x", (-width / 2).toFixed(1));
    paper.setAttribute("width", width.toFixed(1));
  }
}

// A class of an edge that its number has too; numbers stand above all lines.
function mark({ element, number }, name, whether) {
  element.classList.toggle(name, whether);
  number?.classList.toggle(name, whether);
}

// Where the line is, a node may have been moved.
function placeNumber({ line, number, along }) {
  if (!number) return;
  const { x, y } = line.getPointAtLength(along * line.getTotalLength());
  number.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
}

function setUpSizes() {
  byId("graph").classList.toggle("signed", isSigned);
  for (const [tint, id] of [[1, "positive-key"], [-1, "negative-key"]]) {
    byId(id).hidden = !edges.some((edge) => edge.tint === tint);
  }
  byId("number-key").hidden = !edges.some(({ number }) => number);
  byId("number-key").textContent = `number: ${report.measure}`;
}
