// The recursion once more: which variable was removed when, with which boundary, and how the graph grew.
const { steps } = report;
const PACE = 900; // milliseconds for a step, less when there are many
let playing = 0;

function setUpReplay() {
  if (!steps.length) {
    byId("replay").hidden = true;
    return;
  }
  const slider = byId("step");
  slider.max = steps.length + 1;
  slider.value = steps.length + 1;
  slider.addEventListener("input", () => {
    pause();
    showStep(Number(slider.value));
  });
  byId("back").addEventListener("click", () => {
    pause();
    showStep(Number(slider.value) - 1);
  });
  byId("forth").addEventListener("click", () => {
    pause();
    showStep(Number(slider.value) + 1);
  });
  byId("play").addEventListener("click", () => (playing ? pause() : play()));
  pause();
  showStep(steps.length + 1);
}

function play() {
  const slider = byId("step");
  if (Number(slider.value) > steps.length) showStep(0);
  byId("play").textContent = "❚❚";
  byId("play").setAttribute("aria-label", "Pause");
  playing = setInterval(
    () => {
      showStep(Number(slider.value) + 1);
      if (Number(slider.value) > steps.length) pause();
    },
    Math.max(120, Math.min(PACE, 30000 / steps.length)),
  );
}

function pause() {
  clearInterval(playing);
  playing = 0;
  byId("play").textContent = "▶";
  byId("play").setAttribute("aria-label", "Play");
}

// Position 0: nothing is known. Position k: the k-th variable has been removed. After the last: the directions too.
function showStep(position) {
  const at = Math.max(0, Math.min(steps.length + 1, position));
  const over = at > steps.length;
  if (!over && onView !== learned) showGraph(learned); // the one that the steps lead to
  byId("step").value = at;
  if (!over) highlight(null); // two highlights at once could not be distinguished
  const svg = byId("graph");
  svg.classList.toggle("replaying", !over);
  const words = stepWords(at);
  byId("step").setAttribute("aria-valuetext", words[0].textContent);
  refill(byId("step-words"), ...words);
  const now = over || at === 0 ? null : steps[at - 1];
  const boundary = new Set(now?.boundary);
  const found = new Set(now?.neighbours);
  graph.nodes.forEach((node, i) => {
    const removed = separation.step.get(i) < at;
    node.classList.toggle("gone", !over && removed && i !== now?.removed);
    node.classList.toggle("leaving", i === now?.removed);
    node.classList.toggle("found", found.has(i));
    node.classList.toggle("others", boundary.has(i) && !found.has(i));
  });
  graph.edges.forEach(({ element, tail, head }) => {
    const step = Math.min(separation.step.get(tail), separation.step.get(head)) + 1;
    element.classList.toggle("unknown", !over && step > at);
    element.classList.toggle("new", !over && step === at);
  });
}

function stepWords(at) {
  if (at === 0)
    return [make("p", { text: `Start: ${plural(names.length, "variable")} with their Markov boundaries, no edges yet.` })];
  if (at > steps.length)
    return [
      make("p", {
        text:
          (onView === learned
            ? `The learned graph, after ${plural(steps.length, "step")}. Play replays them: `
            : `Play replays the ${plural(steps.length, "step")} to the learned graph: `) +
          "each removes one variable and finds its neighbours.",
      }),
    ];
  const { removed, boundary, neighbours, tests, fallback, undecided } = steps[at - 1];
  const how = undecided
    ? "left undecided when a limit ended the learning"
    : fallback
      ? "removed as a fallback, since no variable tested as removable"
      : "removed";
  const lines = [
    make(
      "p",
      {},
      make("strong", { text: `Step ${at} of ${steps.length}: ` }),
      nameButton(removed),
      ` ${how}; ${plural(names.length - at, "variable")} left.`,
    ),
  ];
  lines.push(inline("Markov boundary at this step", boundary, "empty"), inline("Neighbours", neighbours, "none"));
  const counts = tests.map(([phase, count]) => `${count.toLocaleString("en")} for ${phase}`).join(", ");
  if (counts) lines.push(make("p", { class: "dim", text: `Tests in this step: ${counts}.` }));
  const dropped = neighbours.filter((y) => !adjacent[removed].has(y));
  if (dropped.length) lines.push(inline("Edges removed by the later re-test", dropped, ""));
  return lines;
}

function inline(heading, members, none) {
  const line = make("p", {}, make("span", { class: "dim", text: `${heading}: ` }));
  if (!members.length) line.append(none);
  members.forEach((i, j) => line.append(...(j ? [", "] : []), nameButton(i)));
  return line;
}
