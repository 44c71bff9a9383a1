// Sentences, with names that can be chosen.
function nameButton(i) {
  return make("button", { type: "button", class: "name", text: names[i], on: { click: () => chooseVariable(i, true) } });
}

function nameList(members) {
  const list = make("ul", { class: "names" });
  list.append(...members.map((i) => make("li", {}, nameButton(i))));
  return list;
}

function group(heading, members) {
  if (!members.length) return [];
  return [make("h3", { text: `${heading} (${members.length})` }), nameList(members)];
}

function paragraphs(sentences) {
  return sentences.map((sentence) => make("p", { text: sentence }));
}

function shortP(p) {
  if (report.is_oracle) return p > 0 ? "d-separated" : "d-connected"; // an oracle knows only yes and no
  if (p === 0) return "p < 1e-300"; // smaller ones are 0 to a computer
  return `p = ${p < 0.001 ? p.toExponential(1) : p.toPrecision(2)}`;
}

// Why two variables are not joined: what separates them, how clearly, and when that was seen.
function missingWords(a, b) {
  const given = separatingSet(a, b);
  const p = missingP(a, b);
  const doubtful = p !== undefined && p <= report.alpha;
  const known = p === undefined || doubtful ? "" : ` (${shortP(p)})`;
  const what = given.length
    ? `once the following ${given.length === 1 ? "is" : "are"} known, ${names[a]} tells nothing more about ${names[b]}${known}.`
    : `on their own, ${names[a]} tells nothing about ${names[b]}${known}.`;
  const parts = [make("p", { text: `${names[a]} and ${names[b]} are not joined: ${doubtful ? "it was concluded that " : ""}${what}` })];
  if (given.length) parts.push(make("div", { class: "given" }, nameList(given)));
  if (doubtful) parts.push(make("p", { text: `Asked again, the data speak against that (${shortP(p)}, below the level ${report.alpha}): an edge may be missing here, or it is one of the answers that chance gets wrong.` }));
  const found = foundWords(a, b);
  if (found) parts.push(make("p", { class: "dim", text: found }));
  const effects = roles[a].children.filter((c) => roles[b].children.includes(c));
  if (effects.length) parts.push(make("p", { text: `Both point to the following; knowing ${effects.length === 1 ? "it" : "one of them"} makes the two dependent.` }), nameList(effects));
  return { parts, given };
}

function foundWords(a, b) {
  if (!report.has_order) return "";
  const key = pairKey(a, b);
  if (separation.otherwise.has(key)) return "This set was found by a search of its own.";
  const first = firstOf(a, b);
  const when = `Found when ${names[first]} was removed, in step ${separation.step.get(first) + 1} of ${steps.length}`;
  const other = first === a ? b : a;
  if (!separation.boundary.get(first).includes(other)) return `${when}: this was all of its boundary then, which separates it from all others.`;
  const leftOut = separation.leftOut.get(key) ?? [];
  return `${when}: ${names[other]} was in its boundary, but the rest${leftOut.length ? `, without ${leftOut.map((z) => names[z]).join(", ")},` : ""} separates the two.`;
}
