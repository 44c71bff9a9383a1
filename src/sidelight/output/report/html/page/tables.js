// Edges as a table, tests as bars, settings and calls to copy.
const EDGE_COLUMNS = [
  {
    title: "From",
    value: (edge) => names[edge.tail],
    cell: (edge) => leadingCell(edge.tail, `${names[edge.tail]} ${edge.directed ? "to" : "and"} ${names[edge.head]}`),
  },
  { title: "Kind", value: (edge) => edgeSign(edge), cell: (edge) => signCell(edgeSign(edge)) },
  { title: "To", value: (edge) => names[edge.head], cell: (edge) => nameCell(edge.head) },
  {
    title: "Effect",
    value: (edge) => Math.abs(edge.effect ?? 0),
    cell: (edge) => effectCell(edge),
    falls: true,
    hint: "The effect size given the other parents; a pointer over it shows what it measures",
  },
  {
    title: "Largest p",
    value: (edge) => edge.weakest_p,
    cell: (edge) => numberCell(shortP(edge.weakest_p).replace("p = ", "").replace("p <", "<")),
    hint: "The largest p-value of the tests behind the edge",
  },
  { title: "What it says", value: (edge) => edge.meaning, cell: (edge) => make("td", { text: edge.meaning }) },
];

// The effect size with two digits and a true minus sign.
function effectCell({ effect, effect_name: measure }) {
  const cell = numberCell(effect === undefined ? "" : effect.toFixed(2).replace("-", "−"));
  if (measure) cell.title = measure;
  return cell;
}

function setUpEdges() {
  const tested = !report.is_oracle && edges.some((edge) => edge.weakest_p !== undefined);
  const shown = { Effect: hasEffects, "Largest p": tested, "What it says": isPag };
  const columns = EDGE_COLUMNS.filter(({ title }) => shown[title] ?? true);
  const table = new SortedTable("edges", columns, edges, {
    fits: isWanted,
    pair: (edge) => [edge.tail, edge.head],
    count: (count) => {
      byId("edges-heading").textContent = ofAll(count, edges.length, "edge");
    },
  });
  if (isPag) {
    const kinds = report.marks.map(([sign]) => make("option", { value: sign, text: sign }));
    refill(byId("kind"), make("option", { value: "", text: "All" }), ...kinds);
  }
  byId("filter").addEventListener("input", () => table.fill());
  byId("kind").addEventListener("change", () => table.fill());
}

function isWanted(edge) {
  const wanted = byId("filter").value.trim().toLocaleLowerCase();
  const kind = byId("kind").value;
  const named = folded[edge.tail].includes(wanted) || folded[edge.head].includes(wanted);
  const fits = isPag ? [edgeSign(edge), turnedSign(edgeSign(edge))].includes(kind) : edge.directed === (kind === "directed");
  return named && (!kind || fits);
}

function setUpChart() {
  const counts = report.tests_by_size;
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const most = Math.max(1, ...counts.map(([, count]) => count));
  const mean = counts.reduce((sum, [size, count]) => sum + size * count, 0) / Math.max(1, total);
  const phases = report.tests_by_phase
    .filter(([, count]) => count)
    .map(([phase, count]) => `${phase} ${count.toLocaleString("en")}`);
  byId("tests-words").textContent =
    `${plural(total, "test")}, conditioning on ${mean.toFixed(2)} variables on average` +
    (phases.length ? ` (${phases.join(", ")})` : "") +
    (report.boundary_tests ? `, after ${report.boundary_tests.toLocaleString("en")} for the Markov boundaries` : "") +
    (report.check_tests ? `, and ${report.check_tests.toLocaleString("en")} to check the result` : "") +
    ".";
  byId("chart").append(
    ...counts.map(([size, count]) => {
      const bar = make("span", { class: "fill" });
      bar.style.width = `${(100 * count) / most}%`;
      return make(
        "div",
        { role: "row" },
        make("span", { role: "rowheader", class: "size", text: size }),
        make("span", { class: "track", role: "presentation" }, bar),
        make("span", { role: "cell", class: "count", text: count.toLocaleString("en") }),
      );
    }),
  );
}

function setUpKnowledge() {
  byId("known").hidden = !report.known.length;
  byId("statements").append(...report.known.map((text) => make("li", { text })));
  const heading = report.doubts.length
    ? "What is learned without it contradicts, the clearest first:"
    : "What is learned without it does not contradict it.";
  byId("doubts").append(
    make("p", { text: heading }),
    make("ol", {}, ...report.doubts.map((text) => make("li", { text: `${text}.` }))),
    make("p", { text: report.meaning_of_doubts && `${report.meaning_of_doubts}.` }),
  );
}

function setUpSettings() {
  byId("settings").append(
    ...report.settings.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]),
  );
  byId("calls").append(
    ...report.calls.map(([title, text]) => {
      const code = make("code", { text });
      const copy = make("button", {
        type: "button",
        class: "quiet",
        text: "Copy",
        "aria-label": `Copy: ${title}`,
        on: { click: () => copyText(code, copy) },
      });
      return make(
        "div",
        { class: "call" },
        make("div", { class: "bar" }, make("h3", { text: title }), copy),
        make("pre", { tabindex: "0" }, code),
      );
    }),
  );
}

async function copyText(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code); // where the clipboard is closed to pages, copying is one key away
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  announce("Copied");
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1600);
}
