// The effect of one variable on another: the paths in the graph, and what is known of its size.
const causalEffects = new Map((report.effects ?? []).map((found) => [found.cause * names.length + found.on, found]));

function setUpEffects() {
  byId("effect").hidden = !causalEffects.size;
  if (!causalEffects.size) return;
  new Combo("effect-a", chooseEffect);
  new Combo("effect-b", chooseEffect);
}

function chooseEffect() {
  const [a, b] = ["effect-a", "effect-b"].map((id) => byId(id).dataset.chosen);
  if (a === undefined || b === undefined) return;
  if (a === b) return refill(byId("effect-words"), make("p", { text: "Select two different variables." }));
  const found = causalEffects.get(Number(a) * names.length + Number(b)) ?? noEffect(a, b);
  highlight({ pair: [Number(a), Number(b)] });
  showPaths(found);
  refill(
    byId("effect-words"),
    ...found.words.map((text) => make("p", { class: text.startsWith(" ") ? "inset" : "sentence", text })),
    make("p", { class: "legend" }, ...keysOf(found)),
  );
  showMembers([Number(a), Number(b), ...found.causal.flat(), ...found.open]);
  announce(`Effect of ${names[a]} on ${names[b]}: ${found.words[1] ?? found.words[0]}`);
}

function noEffect(a, b) {
  const text = `No path from ${spoken[a]} to ${spoken[b]} can be causal: in the learned class the effect is 0.`;
  return { words: [text], causal: [], open: [] };
}

function keysOf(found) {
  const key = (kind, text) => make("span", {}, make("i", { class: `key ${kind}` }), text);
  return [
    ...(found.causal.length ? [key("causal", "paths that may be causal")] : []),
    ...(found.open.length ? [key("confounding", "a path that is open without adjusting, and not causal")] : []),
  ];
}

function showPaths(found) {
  const causal = new Set(found.causal.map(([a, b]) => pairKey(a, b)));
  const open = new Set(found.open.slice(1).map((b, i) => pairKey(found.open[i], b)));
  byId("graph").classList.add("paths");
  graph.edges.forEach(({ element, tail, head }) => {
    const key = pairKey(tail, head);
    element.classList.toggle("causal", causal.has(key));
    element.classList.toggle("confounding", open.has(key) && !causal.has(key));
  });
}

// Whatever else is highlighted takes the colours away.
function clearPaths() {
  byId("graph").classList.remove("paths");
  for (const { element } of graph.edges) element.classList.remove("causal", "confounding");
}
