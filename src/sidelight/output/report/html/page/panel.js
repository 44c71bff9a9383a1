// What is selected: a variable with its boundary, or a pair with its evidence.
function chooseNothing() {
  const { adjacent } = onView;
  highlight(null);
  const hubs = names
    .map((_, i) => i)
    .sort((a, b) => adjacent[b].size - adjacent[a].size || a - b)
    .slice(0, 6);
  refill(
    byId("chosen"),
    make("h2", { text: "Select a variable or an edge" }),
    make("p", {
      class: "dim",
      text: "Click in the graph, or press / to search. Shift-click a second variable for the evidence on the pair.",
    }),
    make("h3", { text: "Most neighbours" }),
    nameList(hubs.filter((i) => adjacent[i].size)),
  );
  refill(byId("pair-words"));
}

function chooseVariable(i, travel) {
  const { adjacent, roles, boundaries } = onView;
  highlight({ variable: i });
  const others = boundaries[i].filter((j) => !adjacent[i].has(j));
  const removed = report.has_order ? separation.step.get(i) : undefined;
  refill(
    byId("chosen"),
    make("p", { class: "eyebrow", text: onView === learned ? "Variable" : "Variable in the consensus" }),
    make("h2", { class: "long", text: names[i] }),
    ...(adjacent[i].size ? [] : [make("p", { text: "Isolated: adjacent to no other variable." })]),
    ...(isPag ? markedNeighbours : neighbours)(roles[i]),
    ...group("In its Markov boundary, not adjacent", others),
    make("p", { class: "dim", text: "Given its Markov boundary, it is independent of all other variables." }),
    ...(removed === undefined
      ? []
      : [
          make("button", {
            type: "button",
            class: "link",
            text: `Removed in step ${removed + 1}`,
            on: { click: () => showStep(removed + 1) },
          }),
        ]),
  );
  byId("pair-a").value = names[i];
  byId("pair-a").dataset.chosen = i;
  if (travel) showMembers([i, ...boundaries[i], ...adjacent[i]]);
  announce(`${names[i]} selected, ${plural(adjacent[i].size, "neighbour")}`);
}

function neighbours({ parents, children, open }) {
  return [
    ...group("Parents", parents),
    ...group("Children", children),
    ...group("Neighbours, direction not determined", open),
  ];
}

function chooseOrPair(i, pairing) {
  const current = graph.chosen?.variable;
  if (pairing && current !== undefined && current !== i) choosePair(current, i);
  else chooseVariable(i, false);
}

function choosePair(a, b) {
  const index = edgeOf.get(pairKey(a, b));
  const missing = index === undefined ? missingWords(a, b) : null;
  highlight({ pair: [a, b], given: missing?.given });
  const [tail, head] = missing ? [a, b] : [edges[index].tail, edges[index].head];
  const sign = missing ? "no edge" : edgeSign(edges[index]);
  const heading = make(
    "h2",
    { class: "pairing" },
    nameButton(tail),
    make("span", { class: "sign", text: ` ${sign} ` }),
    nameButton(head),
  );
  const kind = missing ? "Missing edge" : "Edge";
  refill(
    byId("chosen"),
    make("p", { class: "eyebrow", text: onView === learned ? kind : `${kind} of the learned graph` }),
    heading,
    ...resampled(a, b),
    ...(missing ? missing.parts : paragraphs(edges[index].words)),
  );
  refill(byId("pair-words"));
  for (const [id, i] of [
    ["pair-a", a],
    ["pair-b", b],
  ]) {
    byId(id).value = names[i];
    byId(id).dataset.chosen = i;
  }
  announce(`${names[a]} and ${names[b]}: ${missing ? "not adjacent" : "adjacent"}`);
}

// The two fields of the pair: with both filled the evidence shows.
function choosePart() {
  const [a, b] = ["pair-a", "pair-b"].map((id) => byId(id).dataset.chosen);
  if (a === undefined || b === undefined) return;
  if (a === b) return refill(byId("pair-words"), make("p", { text: "Select two different variables." }));
  choosePair(Number(a), Number(b));
  showMembers([Number(a), Number(b), ...(graph.chosen.given ?? [])]);
}
