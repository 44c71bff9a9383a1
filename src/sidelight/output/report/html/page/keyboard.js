// The graph with the keyboard alone.
const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

function setUpKeyboard() {
  byId("graph").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      "+": () => zoomAtCentre(1.3),
      "=": () => zoomAtCentre(1.3),
      "-": () => zoomAtCentre(1 / 1.3),
      0: () => flyTo(fitAll()),
      Enter: () => graph.active !== null && chooseOrPair(graph.active, event.shiftKey),
      " ": () => graph.active !== null && chooseOrPair(graph.active, event.shiftKey),
    };
    const act = WAYS[event.key] ? () => step(WAYS[event.key]) : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      byId("search").focus();
    }
    if (event.key === "Escape" && !typing) chooseNothing();
  });
}

// The nearest variable in that direction; what lies aside counts as further away.
function step([dx, dy]) {
  const from = graph.active ?? graph.chosen?.variable ?? graph.chosen?.pair?.[0];
  let best = from ?? 0;
  let nearest = Infinity;
  if (from !== undefined) {
    names.forEach((_, i) => {
      const [u, v] = [graph.x[i] - graph.x[from], graph.y[i] - graph.y[from]];
      const ahead = u * dx + v * dy;
      const distance = ahead + 2.5 * Math.abs(u * dy + v * dx);
      if (i !== from && ahead > 1 && distance < nearest) [best, nearest] = [i, distance];
    });
  }
  activate(best);
}

function activate(i) {
  if (graph.active !== null) graph.nodes[graph.active].classList.remove("active");
  graph.active = i;
  graph.nodes[i].classList.add("active");
  byId("graph").setAttribute("aria-activedescendant", `node-${i}`);
  announce(`${names[i]}, ${plural(onView.adjacent[i].size, "neighbour")}`);
  keepInSight(i);
}

function keepInSight(i) {
  const { width, height } = frame();
  const [x, y] = [camera.x + graph.x[i] * camera.scale, camera.y + graph.y[i] * camera.scale];
  const margin = 40;
  if (x > margin && x < width - margin && y > margin && y < height - margin) return;
  flyTo({ scale: camera.scale, x: camera.x + width / 2 - x, y: camera.y + height / 2 - y });
}
