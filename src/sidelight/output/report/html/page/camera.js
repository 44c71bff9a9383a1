// Zoom and pan: where the drawing stands in its frame.
const camera = { scale: 1, x: 0, y: 0, smallest: 0.02, largest: 6 };
const LABELS_FROM = 0.5; // below this scale labels could not be read, and are left out
const LARGEST_TO_FIT = 1.7; // a small drawing does not fill its frame
const AROUND = 24; // between the drawing and its frame
const stillness = matchMedia("(prefers-reduced-motion: reduce)");
let flight = 0;

function frame() {
  const box = byId("graph").getBoundingClientRect();
  return { left: box.left, top: box.top, width: Math.max(1, box.width), height: Math.max(1, box.height) };
}

// The frame is as high as the drawing needs it to be at full width, within what the style allows.
function fitFrame() {
  const [width, height] = report.size;
  const scale = Math.min(LARGEST_TO_FIT, (frame().width - 2 * AROUND) / Math.max(1, width));
  byId("graph").style.setProperty("--wanted", `${Math.ceil(scale * height) + 2 * AROUND}px`);
}

function applyCamera() {
  graph.view.setAttribute("transform", `translate(${camera.x} ${camera.y}) scale(${camera.scale})`);
  const svg = byId("graph");
  svg.classList.toggle("far", camera.scale < LABELS_FROM);
  svg.style.setProperty("--scale", camera.scale);
}

function zoomAt(factor, x, y) {
  const scale = Math.min(camera.largest, Math.max(camera.smallest, camera.scale * factor));
  camera.x = x - ((x - camera.x) * scale) / camera.scale;
  camera.y = y - ((y - camera.y) * scale) / camera.scale;
  camera.scale = scale;
  cancelAnimationFrame(flight);
  applyCamera();
}

function zoomAtCentre(factor) {
  const { width, height } = frame();
  zoomAt(factor, width / 2, height / 2);
}

function flyTo(target) {
  cancelAnimationFrame(flight);
  const from = { scale: camera.scale, x: camera.x, y: camera.y };
  const start = performance.now();
  const length = stillness.matches ? 1 : 260;
  const move = (now) => {
    const t = Math.min(1, (now - start) / length);
    const eased = 1 - (1 - t) ** 3;
    for (const part of ["scale", "x", "y"]) camera[part] = from[part] + (target[part] - from[part]) * eased;
    applyCamera();
    if (t < 1) flight = requestAnimationFrame(move);
  };
  flight = requestAnimationFrame(move);
}

// The camera that shows a box of the drawing whole.
function cameraFor(box, largest) {
  const { width, height } = frame();
  const scale = Math.min(largest, (width - 2 * AROUND) / box.width, (height - 2 * AROUND) / box.height);
  const kept = Math.max(camera.smallest, scale);
  return {
    scale: kept,
    x: width / 2 - (box.x + box.width / 2) * kept,
    y: height / 2 - (box.y + box.height / 2) * kept,
  };
}

function boxAround(members) {
  if (!members.length) return { x: 0, y: 0, width: 1, height: 1 };
  const sides = members.map((i) => [graph.x[i] - report.widths[i] / 2, graph.x[i] + report.widths[i] / 2]);
  const left = Math.min(...sides.map(([a]) => a));
  const right = Math.max(...sides.map(([, b]) => b));
  const top = Math.min(...members.map((i) => graph.y[i])) - report.height / 2;
  const bottom = Math.max(...members.map((i) => graph.y[i])) + report.height / 2;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

// All boxes and the whole drawing: lines may pass beside the outermost box.
function fitAll() {
  const box = boxAround(names.map((_, i) => i));
  const [left, top] = [Math.min(0, box.x), Math.min(0, box.y)];
  const right = Math.max(report.size[0], box.x + box.width);
  const bottom = Math.max(report.size[1], box.y + box.height);
  return cameraFor({ x: left, y: top, width: right - left, height: bottom - top }, LARGEST_TO_FIT);
}

function showMembers(members) {
  flyTo(cameraFor(boxAround(members), 1.1));
}
