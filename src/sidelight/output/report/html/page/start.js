// Everything in its place.
function setUpHead() {
  byId("eyebrow").textContent = report.has_table ? "Structure learned from" : "Structure learned with sidelight";
  byId("title").textContent = report.title;
  const directed = edges.filter((edge) => edge.directed).length;
  const tests = report.tests_by_size.reduce((sum, [, count]) => sum + count, 0);
  const facts = [
    ...(report.rows === null ? [] : [["Rows", report.rows]]),
    ["Variables", names.length],
    ["Edges", edges.length],
    ...(isPag ? markCounts() : [["Directed", directed], ["Undirected", edges.length - directed]]),
    ["Tests", tests],
  ];
  byId("facts").append(
    ...facts.map(([name, value]) =>
      make("div", {}, make("dt", { text: name }), make("dd", { text: value.toLocaleString("en") })),
    ),
  );
  const { status, heading, sentence } = report.certificate;
  byId("reliance").classList.add(status.replaceAll(" ", "-"));
  byId("status-mark").textContent = { consistent: "i", violated: "!", "cannot be checked": "?" }[status];
  byId("reliance-heading").textContent = heading;
  byId("reliance-sentence").textContent = capitalised(sentence);
  byId("trust").textContent = capitalised(report.trust);
  byId("trust").hidden = !report.trust;
  const box = byId("warnings");
  box.hidden = !report.warnings.length;
  box.open = report.warnings.length <= 3;
  box.querySelector("summary").textContent = plural(report.warnings.length, "warning");
  box.querySelector("ul").append(...report.warnings.map((text) => make("li", { text: capitalised(text) })));
  byId("footer").textContent =
    `sidelight ${report.version} · self-contained file; it loads and sends nothing`;
}

function start() {
  setUpTheme();
  setUpMarks();
  setUpHead();
  buildGraph();
  fitFrame();
  Object.assign(camera, fitAll());
  camera.smallest = Math.min(0.3, camera.scale / 2);
  applyCamera();
  setUpPointer();
  setUpKeyboard();
  new Combo("search", (i) => chooseVariable(i, true));
  new Combo("pair-a", choosePart);
  new Combo("pair-b", choosePart);
  setUpEffects();
  setUpReplay();
  setUpConsensus();
  setUpSizes();
  setUpDownload();
  setUpEdges();
  setUpDoubts();
  setUpLevels();
  setUpChart();
  setUpKnowledge();
  setUpTypes();
  setUpSettings();
  chooseNothing();
  byId("zoom-in").addEventListener("click", () => zoomAtCentre(1.3));
  byId("zoom-out").addEventListener("click", () => zoomAtCentre(1 / 1.3));
  byId("fit").addEventListener("click", () => flyTo(fitAll()));
}

start();
