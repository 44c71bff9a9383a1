// Mouse, pen and fingers: drag the drawing or a node, pinch or turn the wheel to zoom, click to choose.
const CLICK = 4; // pixels a pointer may stray and still click
const pointers = new Map();
let gesture = null;

function setUpPointer() {
  const svg = byId("graph");
  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { left, top } = frame();
      zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.clientX - left, event.clientY - top);
    },
    { passive: false },
  );
  svg.addEventListener("pointerdown", press);
  svg.addEventListener("pointermove", move);
  svg.addEventListener("pointerup", release);
  svg.addEventListener("pointercancel", release);
  svg.addEventListener("pointerleave", () => {
    byId("tip").hidden = true;
  });
}

function press(event) {
  if (event.button !== 0) return;
  byId("graph").setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, [event.clientX, event.clientY]);
  const node = event.target.closest("[data-node]");
  const edge = event.target.closest("[data-edge]");
  gesture = {
    node: node ? Number(node.dataset.node) : null,
    edge: edge ? Number(edge.dataset.edge) : null,
    strayed: 0,
  };
}

function move(event) {
  const before = pointers.get(event.pointerId);
  if (!before) return showTip(event);
  const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
  if (pointers.size === 2) pinch(event);
  else dragBy(dx, dy);
  pointers.set(event.pointerId, [event.clientX, event.clientY]);
}

function dragBy(dx, dy) {
  gesture.strayed += Math.abs(dx) + Math.abs(dy);
  if (gesture.strayed < CLICK) return;
  byId("tip").hidden = true;
  if (gesture.node !== null) {
    moveNode(gesture.node, dx / camera.scale, dy / camera.scale);
  } else {
    camera.x += dx;
    camera.y += dy;
    applyCamera();
  }
}

function pinch(event) {
  gesture.strayed = Infinity;
  const [, other] = [...pointers.entries()].find(([id]) => id !== event.pointerId);
  const before = pointers.get(event.pointerId);
  const reach = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
  const { left, top } = frame();
  const factor = reach([event.clientX, event.clientY]) / Math.max(1, reach(before));
  zoomAt(factor, (event.clientX + other[0]) / 2 - left, (event.clientY + other[1]) / 2 - top);
}

function release(event) {
  if (!pointers.delete(event.pointerId) || pointers.size || event.type === "pointercancel") return;
  if (gesture.strayed >= CLICK) return;
  if (gesture.node !== null) chooseOrPair(gesture.node, event.shiftKey);
  else if (gesture.edge !== null) choosePair(graph.edges[gesture.edge].tail, graph.edges[gesture.edge].head);
  else chooseNothing();
}

// A name where the pointer is, for labels that are cut or too small to be read.
function showTip(event) {
  const tip = byId("tip");
  const node = event.target.closest("[data-node]");
  const index = node ? Number(node.dataset.node) : null;
  const readable = index !== null && camera.scale >= LABELS_FROM && report.labels[index] === names[index];
  tip.hidden = index === null || readable;
  if (tip.hidden) return;
  tip.textContent = names[index];
  const { left, top, width } = frame();
  tip.style.left = `${Math.min(event.clientX - left + 12, width - Math.min(260, tip.offsetWidth) - 8)}px`;
  tip.style.top = `${event.clientY - top + 14}px`;
}
