// The learned graph, or the consensus of the resamples at a threshold, in the same places.
const LETTERS = { f: "→", b: "←", u: "—" }; // of a pair, as seen from its first variable
const builtOf = new Map(); // by pair, all edges that have been drawn

function setUpConsensus() {
  byId("views").hidden = !shares || isPag;
  for (const key of document.querySelectorAll(".of-shares")) key.hidden = !shares || isPag;
  byId("width-key").parentElement.hidden = !hasWidths;
  byId("width-key").textContent = shares
    ? `line width: share of ${plural(shares.resamples, "resample")} with the edge`
    : "line width: effect size";
  byId("uncertain-key").hidden = !edges.some(({ uncertain }) => uncertain);
  byId("graph").classList.toggle("weighted", hasWidths);
  if (!shares || isPag) return;
  byId("consensus-name").textContent = `Consensus of ${plural(shares.resamples, "resample")}`;
  for (const built of graph.edges) builtOf.set(pairKey(built.tail, built.head), built);
  const slider = byId("threshold");
  Object.assign(slider, { min: shares.step, max: 100, step: shares.step, value: shares.start });
  slider.addEventListener("input", () => showGraph(consensusAt(Number(slider.value))));
  byId("show-learned").addEventListener("change", () => showGraph(learned));
  byId("show-consensus").addEventListener("change", () => showGraph(consensusAt(Number(slider.value))));
  describeView();
}

function waysAt(threshold) {
  return shares.ways[threshold / shares.step - 1];
}

function consensusAt(threshold) {
  const drawn = [...waysAt(threshold)].flatMap((letter, i) => {
    const [x, y] = shares.pairs[i];
    if (!LETTERS[letter]) return [];
    const [tail, head] = letter === "b" ? [y, x] : [x, y];
    return [{ tail, head, directed: letter !== "u" }];
  });
  const found = neighbourhoods(drawn);
  return { threshold, edges: drawn, ...found, boundaries: names.map((_, i) => boundaryIn(found, i)) };
}

// Neighbours, and further parents of children: the Markov boundary in an essential graph.
function boundaryIn({ adjacent, roles }, i) {
  const members = new Set([...adjacent[i], ...roles[i].children.flatMap((child) => roles[child].parents)]);
  members.delete(i);
  return [...members].sort((a, b) => a - b);
}

function showGraph(wanted) {
  onView = wanted;
  if (steps.length) {
    if (onView !== learned) pause();
    showStep(steps.length + 1);
  }
  byId("graph").classList.toggle("consensus", onView !== learned);
  drawEdges();
  describeView();
  labelGraph();
  const { variable, pair } = graph.chosen ?? {};
  if (variable !== undefined) chooseVariable(variable, false);
  else if (pair) choosePair(...pair);
  else chooseNothing();
}

function drawEdges() {
  const wanted = new Map(onView.edges.map((edge) => [pairKey(edge.tail, edge.head), edge]));
  for (const [key, edge] of wanted) if (!builtOf.has(key)) builtOf.set(key, addEdge(edge));
  for (const [key, built] of builtOf) {
    const edge = wanted.get(key);
    mark(built, "absent", !edge);
    if (edge) turn(built, edge.directed ? (edge.tail === built.tail ? "forward" : "backward") : "undirected");
  }
}

function addEdge({ tail, head, directed }) {
  const built = buildEdge({ tail, head, directed }, graph.edges.length);
  built.element.classList.add("added");
  graph.edges.push(built);
  graph.lines.prepend(built.element);
  return built;
}

function turn(built, way) {
  if (built.way === way) return;
  built.element.classList.toggle("directed", way !== "undirected");
  built.element.classList.toggle("undirected", way === "undirected");
  weigh(built, way);
  layEdge(built);
}

function describeView() {
  const consensus = onView !== learned;
  const slider = byId("threshold");
  byId(consensus ? "show-consensus" : "show-learned").checked = true;
  slider.disabled = !consensus;
  byId("added-key").hidden = !consensus;
  slider.setAttribute("aria-valuetext", `${slider.value} %`);
  const directed = onView.edges.filter((edge) => edge.directed).length;
  const counts = `${plural(onView.edges.length, "edge")}, ${directed.toLocaleString("en")} directed`;
  const bound = consensus && shares.false_edges[onView.threshold / shares.step - 1];
  const words = consensus ? `Threshold ${onView.threshold} % (${shares.choice}): ${counts}.` : `The learned graph: ${counts}.`;
  const more = bound ? ` At most ${bound} false edges are expected.` : "";
  byId("views-words").textContent = `${words}${more}`.replaceAll(" %", "\u00a0%");
}

function consensusWords(a, b) {
  const edge = onView.edges.find(({ tail, head }) => pairKey(tail, head) === pairKey(a, b));
  const where = `In the consensus at ${onView.threshold} %`;
  if (!edge) return `${where}: not adjacent.`;
  return `${where}: ${edge.directed ? `${spoken[edge.tail]} → ${spoken[edge.head]}` : `${spoken[a]} — ${spoken[b]}`}.`;
}
