// Edges by their shares, as in still pictures: a line is the wider, the more resamples have the edge; an arrowhead is
// the fainter, the fewer of these point its way. Without resamples, a line is the wider, the larger its effect size.
// The head is drawn apart from its line, which ends where it begins.
const [NARROWEST, WIDEST] = [0.6, 3];
const FAINTEST = 0.15; // the opacity of an arrowhead that no resample has

const hasEffects = edges.some((edge) => edge.effect !== undefined);
const hasWidths = shares !== null || hasEffects;

// How the edge points on view: "forward" from its tail to its head, "backward", or "undirected".
function weigh(built, way) {
  const [strength, agreeing] = shares ? shareOf(built, way) : [effectOf(built), 1];
  built.way = way;
  built.width = NARROWEST + (WIDEST - NARROWEST) * strength;
  if (!built.arrowhead) {
    built.arrowhead = draw("path", { class: "arrowhead" });
    built.element.append(built.arrowhead);
  }
  built.element.style.setProperty("--width", built.width.toFixed(2));
  built.arrowhead.style.setProperty("--agreeing", (FAINTEST + (1 - FAINTEST) * agreeing).toFixed(2));
}

// The share of the resamples with the edge, and of those the share with it pointing this way.
function shareOf({ tail, head }, way) {
  const counts = pairCounts(tail, head);
  if (isPag) return [share(counts.adjacent), 1]; // marks are drawn by themselves
  return [share(counts.adjacent), counts.adjacent ? counts[way] / counts.adjacent : 0];
}

function effectOf({ tail, head }) {
  return Math.min(1, Math.abs(edges[edgeOf.get(pairKey(tail, head))].effect ?? 0));
}

// The path of the line; the arrowhead takes its place at the end.
function layWithHead(built) {
  const { arrowhead, way, width, bowed } = built;
  const points = way === "backward" ? [...built.points].reverse() : built.points;
  const path = bowed ? bowPath : curve;
  if (way === "undirected") {
    arrowhead.removeAttribute("d");
    return path(points);
  }
  const [length, half] = [7.5 + 1.2 * width, 3 + 0.8 * width];
  const [x, y] = points[points.length - 1];
  const [u, v] = arrival(points, bowed);
  const base = [x - length * u, y - length * v];
  const corners = [
    [x, y],
    [base[0] - half * v, base[1] + half * u],
    [base[0] + half * v, base[1] - half * u],
  ];
  arrowhead.setAttribute("d", `M${corners.map((corner) => corner.map((number) => number.toFixed(1)).join(" ")).join("L")}z`);
  return path([...points.slice(0, -1), base]);
}

// The direction in which an edge reaches its end: at a right angle to the layers, or, on a way of its own, straight on.
function arrival(points, bowed) {
  const [[x, y], [u, v]] = points.slice(-2);
  if (bowed) {
    const length = Math.hypot(u - x, v - y) || 1;
    return [(u - x) / length, (v - y) / length];
  }
  return report.across ? [u < x ? -1 : 1, 0] : [0, v < y ? -1 : 1];
}
