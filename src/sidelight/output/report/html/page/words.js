// Sentences, with names that can be chosen.
function nameButton(i, text = names[i]) {
  return make("button", {
    type: "button",
    class: "name",
    text,
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

// A p-value with two digits, as Python's .2g has it.
function shortP(p) {
  if (report.is_oracle) return p > 0 ? "d-separated" : "d-connected"; // an oracle knows only yes and no
  if (p === 0) return "p < 1e-300"; // smaller ones are 0 to a computer
  const rounded = Number(p.toPrecision(2));
  const text = rounded < 1e-4 ? rounded.toExponential().replace(/-(\d)$/, "-0$1") : String(rounded);
  return `p = ${text}`;
}

// Sentences about missing edges: the phrases of net.explain, with names that can be chosen in their holes.
function fill(phrase, holes = {}) {
  const parts = report.phrases[phrase].split(/\{(\w+)\}/);
  return parts.flatMap((part, i) => (i % 2 === 0 ? [part] : typeof holes[part] === "function" ? holes[part]() : holes[part]));
}

const numberOf = (count) => ["none", "one"][count] ?? "many";
const nameHole = (i) => () => [nameButton(i, spoken[i])];

function listed(members) {
  const shown = members.slice(0, report.names_shown).map((i) => nameButton(i, spoken[i]));
  if (members.length > shown.length) shown.push(`${members.length - shown.length} more`);
  return shown.flatMap((item, i) => (i === 0 ? [item] : [i === shown.length - 1 ? " and " : ", ", item]));
}

// Why two variables are not joined: what separates them, how clearly, and when that was seen.
function missingWords(a, b) {
  const given = separatingSet(a, b);
  const effects = roles[a].children.filter((c) => roles[b].children.includes(c));
  const pair = { a: nameHole(a), b: nameHole(b) };
  const sentences = [...separationWords(a, b, pair, given), foundWords(a, b, given)];
  if (effects.length) {
    sentences.push(fill(`effects ${numberOf(effects.length)}`, { ...pair, effects: listed(effects) }));
  }
  const parts = [...sentences, ...overruledWords(a, b)].map((nodes) => make("p", { class: "told" }, ...nodes));
  if (given.length > report.names_shown) parts.splice(1, 0, make("div", { class: "given" }, nameList(given)));
  return { parts, given };
}

function separationWords(a, b, pair, given) {
  const p = missingP(a, b);
  const knowing = fill(`knowing ${numberOf(given.length)}`, {
    given: () => [make("span", { class: "given" }, ...listed(given))],
  });
  const claim = fill(given.length ? "nothing more" : "nothing", { ...pair, knowing });
  if (p === undefined) return [fill("apart", { ...pair, claim }), fill("p not kept")];
  if (p > report.alpha) return [fill("apart clearly", { ...pair, claim, p: shortP(p) })];
  const doubt = p > report.chance_level ? "chance" : "edge missing";
  return [fill("apart doubtfully", { ...pair, claim }), fill(doubt, { p: shortP(p), level: report.level })];
}

function foundWords(a, b, given) {
  const first = firstOf(a, b);
  return fill(foundBy(a, b, given), {
    removed: nameHole(first),
    other: nameHole(first === a ? b : a),
    step: separation.step.get(first) + 1,
    steps: steps.length,
    left_out: () => listed(separation.leftOut.get(pairKey(a, b)) ?? []),
    size: given.length,
  });
}

// How the set was found: the key of a phrase. Where a search found it, the data say which.
function foundBy(a, b, given) {
  const key = pairKey(a, b);
  if (separation.foundBy.has(key)) return separation.foundBy.get(key);
  if (!steps.length) {
    const implied = report.rests_on_boundaries && !report.boundaries[a].includes(b);
    return implied ? "markov boundary" : `search ${numberOf(given.length)}`;
  }
  const first = firstOf(a, b);
  if (!separation.boundary.get(first).includes(first === a ? b : a)) return "boundary";
  return separation.leftOut.get(key)?.length ? "member without" : "member";
}

function overruledWords(a, b) {
  const found = report.overruled.filter((structure) => structure.includes(a) && structure.includes(b));
  const shown = found.slice(0, report.overruled_shown);
  const sentences = shown.map(([one, effect, other]) =>
    fill("overruled", { a: nameHole(one), b: nameHole(other), effect: nameHole(effect) }),
  );
  const more = found.length - shown.length;
  if (more) sentences.push(fill(`more overruled ${numberOf(more)}`, { more }));
  return sentences;
}
