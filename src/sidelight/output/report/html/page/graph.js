// The drawing: a box for each variable, a curve for each edge, and what is highlighted.
const graph = {
  x: [...report.x],
  y: [...report.y],
  nodes: [],
  edges: [],
  lines: draw("g"),
  view: draw("g"),
  chosen: null,
  active: null,
};
const REACH = 0.5;
const LINE_HEIGHT = 14;

function buildGraph() {
  const svg = byId("graph");
  const arrows = ["plain", "strong"].map((kind) => marker("arrow", kind, draw("path", { d: "M0 1 10 5 0 9z" })));
  const nodeLayer = draw("g");
  graph.edges = edges.map((edge, i) => buildEdge(edge, i));
  graph.nodes = names.map((_, i) => buildNode(i));
  graph.lines.append(...graph.edges.map((edge) => edge.element));
  nodeLayer.append(...graph.nodes);
  const numbers = graph.edges.flatMap(({ number }) => number ?? []);
  graph.view.append(graph.lines, draw("g", {}, ...numbers), nodeLayer);
  svg.append(draw("defs", {}, ...arrows, ...markersOfMarks()), graph.view);
  squeezeLabels();
  fitNumbers();
  labelGraph();
}

function marker(mark, kind, shape) {
  const box = { viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9 };
  const how = { markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" };
  return draw("marker", { id: `${mark}-${kind}`, class: kind, ...box, ...how }, shape);
}

function labelGraph() {
  byId("graph").setAttribute(
    "aria-label",
    `Graph of ${plural(names.length, "variable")} and ${plural(onView.edges.length, "edge")}. ` +
      "Arrow keys move between variables, Enter selects one, Shift and Enter a pair, plus and minus zoom.",
  );
}

function buildNode(i) {
  const width = report.widths[i];
  const title = draw("title");
  title.textContent = names[i];
  const lines = report.lines[i].map((line, j) => {
    const text = draw("text", { y: LINE_HEIGHT * (j - (report.lines[i].length - 1) / 2) });
    text.textContent = line;
    return text;
  });
  const box = draw("rect", { x: -width / 2, y: -report.height / 2, width, height: report.height, rx: 8 });
  const node = draw("g", { class: "node", id: `node-${i}`, "data-node": i }, title, box, ...lines);
  node.setAttribute("transform", `translate(${graph.x[i]} ${graph.y[i]})`);
  return node;
}

// Letters are as wide as the reader's font has them: a label that does not fit is set narrower.
function squeezeLabels() {
  const texts = graph.nodes.flatMap((node, i) => [...node.querySelectorAll("text")].map((text) => [text, i]));
  const lengths = texts.map(([text]) => text.getComputedTextLength());
  texts.forEach(([text, i], j) => {
    const room = report.widths[i] - 8;
    if (lengths[j] <= room) return;
    text.setAttribute("textLength", room);
    text.setAttribute("lengthAdjust", "spacingAndGlyphs");
  });
}

// An edge with the points that it passes, or, where it has none, on a way of its own.
function buildEdge(edge, i) {
  const { tail, head, directed, uncertain, route } = edge;
  const line = draw("path", { class: "line" });
  const hit = draw("path", { class: "hit" });
  const kind = isPag ? markClasses(edge) : directed ? "directed" : "undirected";
  const element = draw("g", { class: `edge ${kind}${uncertain ? " uncertain" : ""}`, id: `edge-${i}`, "data-edge": i }, hit, line);
  const built = { element, line, hit, tail, head, bowed: !route, points: route ? inPairs(route) : bow(tail, head) };
  if (hasWidths) weigh(built, directed ? "forward" : "undirected");
  addNumber(built, edge);
  layEdge(built);
  return built;
}

function inPairs(numbers) {
  const points = [];
  for (let j = 0; j < numbers.length; j += 2) points.push([numbers[j], numbers[j + 1]]);
  return points;
}

function layEdge(built) {
  const path = hasWidths && !isPag ? layWithHead(built) : curve(built.points);
  built.line.setAttribute("d", path);
  built.hit.setAttribute("d", path);
  placeNumber(built);
}

// The same curve as in still pictures: at right angles to the layers at both ends, never swinging out at bends.
function curve(points) {
  const turned = report.across ? points.map(([x, y]) => [y, x]) : points;
  const at = (x, y) => (report.across ? `${y.toFixed(1)} ${x.toFixed(1)}` : `${x.toFixed(1)} ${y.toFixed(1)}`);
  const slopes = turned.map((_, i) =>
    i === 0 || i === turned.length - 1 ? 0 : slope(turned[i - 1], turned[i], turned[i + 1]),
  );
  let path = `M${at(...turned[0])}`;
  for (let i = 1; i < turned.length; i += 1) {
    const [[x, y], [u, v]] = [turned[i - 1], turned[i]];
    const reach = REACH * (v - y);
    path += `C${at(x + slopes[i - 1] * reach, y + reach)} ${at(u - slopes[i] * reach, v - reach)} ${at(u, v)}`;
  }
  return path;
}

function slope([x0, y0], [x1, y1], [x2, y2]) {
  const first = (x1 - x0) / (y1 - y0);
  const second = (x2 - x1) / (y2 - y1);
  return first * second > 0 ? (2 * first * second) / (first + second) : 0;
}

// A node that is moved takes the ends of its edges along; their bends go.
function moveNode(i, dx, dy) {
  graph.x[i] += dx;
  graph.y[i] += dy;
  graph.nodes[i].setAttribute("transform", `translate(${graph.x[i]} ${graph.y[i]})`);
  for (const built of graph.edges) {
    if (built.tail !== i && built.head !== i) continue;
    if (built.bowed) {
      built.points = bow(built.tail, built.head);
    } else {
      built.points = [built.points[0], built.points[built.points.length - 1]];
      const end = built.tail === i ? 0 : 1;
      built.points[end] = [built.points[end][0] + dx, built.points[end][1] + dy];
    }
    layEdge(built);
  }
}

// Show what is selected: a variable with its boundary, or a pair.
function highlight(chosen) {
  clearPaths();
  graph.chosen = chosen;
  const svg = byId("graph");
  svg.classList.toggle("focused", chosen !== null);
  const ends = chosen === null ? [] : (chosen.pair ?? [chosen.variable]);
  const boundary = new Set(chosen?.variable === undefined ? (chosen?.given ?? []) : onView.boundaries[chosen.variable]);
  const near = chosen?.variable === undefined ? new Set() : onView.adjacent[chosen.variable];
  graph.nodes.forEach((node, i) => {
    node.classList.toggle("selected", ends.includes(i));
    node.classList.toggle("adjacent", near.has(i));
    node.classList.toggle("member", boundary.has(i) && !near.has(i) && !ends.includes(i));
  });
  graph.edges.forEach((built) => {
    const { tail, head } = built;
    const strong = chosen?.pair
      ? ends.includes(tail) && ends.includes(head)
      : ends.includes(tail) || ends.includes(head);
    mark(built, "strong", strong);
  });
}
