// Sentences, with names that can be chosen.
function nameButton(i) {
  return make("button", {
    type: "button",
    class: "name",
    text: names[i],
    on: { click: () => chooseVariable(i, true) },
  });
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
  if (p < 1e-300) return "p < 1e-300"; // about where numbers end for a computer
  return `p = ${p < 0.001 ? p.toExponential(1) : p.toPrecision(2)}`;
}

// Why two variables are not joined: what separates them, how clearly, and when that was seen.
function missingWords(a, b) {
  const given = separatingSet(a, b);
  const found = foundWords(a, b);
  const effects = roles[a].children.filter((c) => roles[b].children.includes(c));
  const parts = paragraphs(separationWords(a, b, given));
  if (given.length) parts.splice(1, 0, make("div", { class: "given" }, nameList(given)));
  if (found) parts.push(make("p", { class: "dim", text: found }));
  if (effects.length) {
    const one = effects.length === 1 ? "it" : "one of them";
    parts.push(make("p", { text: `Both point to the following; knowing ${one} makes the two dependent.` }));
    parts.push(nameList(effects));
  }
  return { parts, given };
}

function separationWords(a, b, given) {
  const p = missingP(a, b);
  const doubtful = p !== undefined && p <= report.alpha;
  const opening = `${names[a]} and ${names[b]} are not joined: ${doubtful ? "it was concluded that " : ""}`;
  const condition = given.length
    ? `once the following ${given.length === 1 ? "is" : "are"} known, ${names[a]} tells nothing more about ${names[b]}`
    : `on their own, ${names[a]} tells nothing about ${names[b]}`;
  if (!doubtful) return [`${opening}${condition}${p === undefined ? "" : ` (${shortP(p)})`}.`];
  return [
    `${opening}${condition}.`,
    `Asked again, the data speak against that (${shortP(p)}, below the level ${report.alpha}): an edge may be ` +
      "missing here, or it is one of the answers that chance gets wrong.",
  ];
}

function foundWords(a, b) {
  if (!report.has_order) return "";
  const key = pairKey(a, b);
  if (separation.otherwise.has(key)) return "This set was found by a search of its own.";
  const first = firstOf(a, b);
  const other = first === a ? b : a;
  const when = `Found when ${names[first]} was removed, in step ${separation.step.get(first) + 1} of ${steps.length}`;
  if (!separation.boundary.get(first).includes(other)) {
    return `${when}: this was all of its boundary then, which separates it from all others.`;
  }
  const leftOut = (separation.leftOut.get(key) ?? []).map((z) => names[z]).join(", ");
  const rest = leftOut ? `the rest, without ${leftOut},` : "the rest";
  return `${when}: ${names[other]} was in its boundary, but ${rest} separates the two.`;
}
