// Sentences, with names that can be clicked.
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

// A p-value with two digits, or as many as show on which side of the significance level it is; as net.explain has it.
function shortP(p) {
  if (p === 0) return "p < 1e-300"; // smaller ones are 0 to a computer
  let [digits, rounded] = [2, Number(p.toPrecision(2))];
  while (digits < 16 && rounded > report.alpha !== p > report.alpha) {
    digits += 1;
    rounded = Number(p.toPrecision(digits));
  }
  const text = rounded < 1e-4 ? rounded.toExponential().replace(/-(\d)$/, "-0$1") : String(rounded);
  return `p = ${text}`;
}

// Sentences about missing edges: the phrases of net.explain, with names that can be clicked in their holes.
function fill(phrase, holes = {}) {
  const parts = report.phrases[phrase].split(/\{(\w+)\}/);
  return parts.flatMap((part, i) => (i % 2 === 0 ? [part] : typeof holes[part] === "function" ? holes[part]() : holes[part]));
}

const nameHole = (i) => () => [nameButton(i, spoken[i])];

function listed(members) {
  const shown = members.slice(0, report.names_shown).map((i) => nameButton(i, spoken[i]));
  if (members.length > shown.length) shown.push(`${members.length - shown.length} more`);
  return shown.flatMap((item, i) => (i === 0 ? [item] : [i === shown.length - 1 ? " and " : ", ", item]));
}

// What was said of a pair beforehand.
const saidOf = new Map(report.said_of.map(([x, y, said, only]) => [`${x} ${y}`, { said, only }]));

function saidOfPair(a, b) {
  return saidOf.get(`${Math.min(a, b)} ${Math.max(a, b)}`) || { said: [], only: false };
}

function saidWords(a, b) {
  return saidOfPair(a, b).said.map((i) => make("p", { class: "sentence" }, report.said[i]));
}

// Why two variables are not adjacent: what separates them, with which p-value, and how that was found.
function missingWords(a, b) {
  if (saidOfPair(a, b).only === "not asked") return { parts: saidWords(a, b), given: [] };
  const given = separatingSet(a, b);
  const effects = roles[a].children.filter((c) => roles[b].children.includes(c));
  const pair = { a: nameHole(a), b: nameHole(b) };
  const { only } = saidOfPair(a, b);
  const words = saidWords(a, b);
  if (only) return { parts: [make("p", { class: "sentence" }, ...fill("said", pair)), ...words], given: [] };
  const sentences = [...separationWords(a, b, pair, given), foundWords(a, b, given)];
  if (effects.length) {
    sentences.push(fill(effects.length > 1 ? "effects" : "effect", { ...pair, effects: listed(effects) }));
  }
  const parts = [...sentences, ...dismissedWords(a, b)].map((nodes) => make("p", { class: "sentence" }, ...nodes));
  parts.push(...words);
  if (given.length > report.names_shown) parts.splice(1, 0, make("div", { class: "given" }, nameList(given)));
  return { parts, given };
}

function separationWords(a, b, pair, given) {
  const p = missingP(a, b);
  const [claim, support] = supportOf(p);
  const holes = { p: p === undefined ? "" : shortP(p), alpha: report.alpha_shown, n: report.n_missing };
  const members = () => [make("span", { class: "given" }, ...listed(given))];
  const concluded = fill(given.length ? claim : `${claim} marginally`, { ...pair, ...holes, given: members });
  return support ? [concluded, fill(support, holes)] : [concluded];
}

// The phrases on what was concluded, and on what the data say of it where there is more to say.
function supportOf(p) {
  if (p === undefined) return ["taken", "p not kept"];
  if (p > report.alpha) return [report.is_oracle ? "d-separated" : "independent", ""];
  if (report.is_oracle) return ["taken", "d-connected"];
  return ["taken", p > report.chance_level ? "chance" : "edge missing"];
}

function foundWords(a, b, given) {
  const first = firstOf(a, b);
  return fill(foundBy(a, b), {
    removed: nameHole(first),
    other: nameHole(first === a ? b : a),
    step: separation.step.get(first) + 1,
    steps: steps.length,
    left_out: () => listed(separation.leftOut.get(pairKey(a, b)) ?? []),
    size: given.length,
  });
}

// How the set was found: the key of a phrase. Where a search found it, the data say which.
function foundBy(a, b) {
  const key = pairKey(a, b);
  if (separation.foundBy.has(key)) return separation.foundBy.get(key);
  if (!steps.length) {
    if (report.by_score) return "parents";
    const implied = report.rests_on_boundaries && !report.boundaries[a].includes(b);
    return implied ? "markov boundary" : "search";
  }
  const first = firstOf(a, b);
  if (!separation.boundary.get(first).includes(first === a ? b : a)) return "boundary";
  return separation.leftOut.get(key)?.length ? "member without" : "member";
}

function dismissedWords(a, b) {
  return Object.entries(report.dismissed).flatMap(([phrase, structures]) => {
    const found = structures.filter((structure) => structure.includes(a) && structure.includes(b));
    const shown = found.slice(0, report.overruled_shown);
    const sentences = shown.map(([one, effect, other]) =>
      fill(phrase, { a: nameHole(one), b: nameHole(other), effect: nameHole(effect) }),
    );
    const more = found.length - shown.length;
    if (more) sentences.push(fill(more > 1 ? "more overruled" : "one more overruled", { more }));
    return sentences;
  });
}
