// Edges that the learned graph does not have: a line or a bow that passes behind as few boxes as can be.
const BOWS = [0, 25, -25, 50, -50, 80, -80, 120, -120]; // how far out its middle is
const DEAREST = 110; // to pass behind one box is as bad as a bow so far out
const SHORTEST = 26; // between two boxes; a shorter line would be all arrowhead
const MARGIN = 20; // around the drawing, that is on view with it
const STRIDE = 12;

// Where it leaves the one box, the point that it bends to, and where it reaches the other.
function bow(a, b) {
  let best = null;
  let least = Infinity;
  for (const reach of BOWS) {
    const cost = Math.abs(reach) / DEAREST;
    if (cost >= least) continue;
    const points = bowBy(a, b, reach);
    const short = distance(points[0], points[2]) < SHORTEST ? 1 : 0;
    const whole = cost + short + obstacles(points, a, b) + (isInside(points) ? 0 : 2);
    if (whole < least) [best, least] = [points, whole];
  }
  return best;
}

function bowBy(a, b, reach) {
  const [x, y, u, v] = [graph.x[a], graph.y[a], graph.x[b], graph.y[b]];
  const out = (2 * reach) / Math.max(1, Math.hypot(u - x, v - y)); // the curve goes half as far as where it bends to
  const turn = [(x + u) / 2 - out * (v - y), (y + v) / 2 + out * (u - x)];
  return [rim(a, turn), turn, rim(b, turn)];
}

// Where the line from the middle of a box to a point outside leaves the box.
function rim(i, [x, y]) {
  const [dx, dy] = [x - graph.x[i], y - graph.y[i]];
  const part = Math.min(1, report.widths[i] / 2 / Math.abs(dx || 1e-9), report.height / 2 / Math.abs(dy || 1e-9));
  return [graph.x[i] + part * dx, graph.y[i] + part * dy];
}

function isInside([start, [x, y], end]) {
  const [u, v] = [(start[0] + end[0]) / 4 + x / 2, (start[1] + end[1]) / 4 + y / 2]; // the middle of the curve
  return u > -MARGIN && v > -MARGIN && u < report.size[0] + MARGIN && v < report.size[1] + MARGIN;
}

function distance([x, y], [u, v]) {
  return Math.hypot(u - x, v - y);
}

// Behind how many other boxes the bow passes.
function obstacles(points, a, b) {
  const [left, right] = [Math.min(...points.map(([x]) => x)), Math.max(...points.map(([x]) => x))];
  const [top, bottom] = [Math.min(...points.map(([, y]) => y)), Math.max(...points.map(([, y]) => y))];
  const high = report.height / 2 + 3;
  const near = [];
  for (let i = 0; i < names.length; i += 1) {
    const wide = report.widths[i] / 2 + 3;
    const [x, y] = [graph.x[i], graph.y[i]];
    const beside = x + wide < left || x - wide > right || y + high < top || y - high > bottom;
    if (i !== a && i !== b && !beside) near.push([x, y, wide]);
  }
  if (!near.length) return 0;
  const passed = alongBow(points);
  return near.filter(([x, y, wide]) => passed.some(([u, v]) => Math.abs(u - x) < wide && Math.abs(v - y) < high)).length;
}

function alongBow([start, turn, end]) {
  const count = Math.ceil((distance(start, turn) + distance(turn, end)) / STRIDE);
  return Array.from({ length: count + 1 }, (_, i) => {
    const t = i / Math.max(1, count);
    const mixed = (axis) => (1 - t) ** 2 * start[axis] + 2 * t * (1 - t) * turn[axis] + t ** 2 * end[axis];
    return [mixed(0), mixed(1)];
  });
}

function bowPath([start, turn, end]) {
  const at = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  return `M${at(start)}Q${at(turn)} ${at(end)}`;
}
