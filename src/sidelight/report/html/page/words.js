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
  if (p < 0.001) return p === 0 ? "p < 1e-300" : `p = ${p.toExponential(1)}`;
  return `p = ${p.toPrecision(2)}`;
}

// Why two variables are not joined: what separates them, and when that was seen.
function missingWords(a, b) {
  const given = separatingSet(a, b);
  const p = missingP(a, b);
  const known = p === undefined ? "" : ` (${shortP(p)})`;
  const what = given.length
    ? `${names[a]} and ${names[b]} are not joined: once the following ${given.length === 1 ? "variable is" : "variables are"} known, one tells nothing more about the other${known}.`
    : `${names[a]} and ${names[b]} are not joined: they are independent of each other, with nothing else known${known}.`;
  const parts = [make("p", { text: what })];
  if (given.length) parts.push(nameList(given));
  if (report.has_order && !separation.otherwise.has(pairKey(a, b))) {
    const first = firstOf(a, b);
    const number = separation.step.get(first) + 1;
    parts.push(make("p", { class: "dim", text: `Seen in step ${number}, when ${names[first]} was removed: this is its boundary then${separation.leftOut.has(pairKey(a, b)) ? ", with some members left out" : ""}.` }));
  }
  return { parts, given };
}
