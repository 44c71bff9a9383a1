// What was learned, and what separates two variables that are not adjacent.
const report = JSON.parse(byId("data").textContent);
const { names, edges } = report;
const spoken = report.spoken ?? names; // as sentences have them: long ones without their middle
const edgeOf = new Map();
const pairKey = (a, b) => (a < b ? a * names.length + b : b * names.length + a);

edges.forEach((edge, i) => edgeOf.set(pairKey(edge.tail, edge.head), i));

// What stands between the two: in a PAG the marks at both ends, else an arrow or a line.
function edgeSign({ sign, directed }) {
  return sign ?? (directed ? "→" : "—");
}

const TURNED = { "→": "←", "○→": "←○", "○—": "—○" };

function turnedSign(sign) {
  return TURNED[sign] ?? Object.keys(TURNED).find((key) => TURNED[key] === sign) ?? sign;
}

// Who is adjacent to whom in a graph, and which way.
function neighbourhoods(drawn) {
  const adjacent = names.map(() => new Set());
  const roles = names.map(() => ({ parents: [], children: [], open: [], signs: new Map() }));
  const add = (i, sign, j) => roles[i].signs.set(sign, [...(roles[i].signs.get(sign) ?? []), j]);
  for (const edge of drawn) {
    const { tail, head, directed } = edge;
    adjacent[tail].add(head);
    adjacent[head].add(tail);
    add(tail, edgeSign(edge), head);
    add(head, turnedSign(edgeSign(edge)), tail);
    (directed ? roles[head].parents : roles[head].open).push(tail);
    (directed ? roles[tail].children : roles[tail].open).push(head);
  }
  return { adjacent, roles };
}

const { adjacent, roles } = neighbourhoods(edges);
const learned = { edges, adjacent, roles, boundaries: report.boundaries };
let onView = learned; // or the consensus at a threshold

const separation = {
  step: new Map(report.removals.map(([x], i) => [x, i])),
  boundary: new Map(report.removals.map(([x, members]) => [x, members])),
  leftOut: new Map(report.left_out.map(([a, b, members]) => [pairKey(a, b), members])),
  explicit: new Map(report.explicit.map(([a, b, members]) => [pairKey(a, b), members])),
  foundBy: new Map(report.explicit.map(([a, b, , phrase]) => [pairKey(a, b), phrase])),
};

// The one of the two that was removed first: its boundary then separates them.
function firstOf(a, b) {
  return separation.step.get(a) < separation.step.get(b) ? a : b;
}

function separatingSet(a, b) {
  const key = pairKey(a, b);
  if (separation.explicit.has(key)) return separation.explicit.get(key);
  const first = firstOf(a, b);
  const without = new Set([first === a ? b : a, ...(separation.leftOut.get(key) ?? [])]);
  return separation.boundary.get(first).filter((z) => !without.has(z));
}

// The p-values of missing edges stand in one list, pair after pair in order of the columns.
function missingP(a, b) {
  const [low, high] = a < b ? [a, b] : [b, a];
  return report.missing_p?.[low][high - low - 1] ?? undefined;
}
