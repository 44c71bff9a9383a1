// Edges as a table, tests as bars, settings and calls to copy.
const COLUMNS = [
  ["From", (edge) => names[edge.tail]],
  ["", (edge) => (edge.directed ? "→" : "—")],
  ["To", (edge) => names[edge.head]],
  ["Largest p", (edge) => edge.weakest_p, "The largest p-value of the tests behind the edge"],
];
const sorting = { column: 0, rising: true };

function setUpEdges() {
  const shown = !report.is_oracle && edges.some((edge) => edge.weakest_p !== undefined) ? COLUMNS : COLUMNS.slice(0, 3);
  const row = byId("edges").querySelector("thead tr");
  shown.forEach(([title, , hint], column) =>
    row.append(
      make(
        "th",
        { scope: "col", "aria-sort": "none" },
        make("button", {
          type: "button",
          text: title || "Kind",
          ...(hint ? { title: hint } : {}),
          on: {
            click: () => {
              Object.assign(sorting, { column, rising: sorting.column === column ? !sorting.rising : true });
              fillEdges(shown);
            },
          },
        }),
      ),
    ),
  );
  byId("filter").addEventListener("input", () => fillEdges(shown));
  byId("kind").addEventListener("change", () => fillEdges(shown));
  fillEdges(shown);
}

function fillEdges(shown) {
  const wanted = byId("filter").value.trim().toLocaleLowerCase();
  const kind = byId("kind").value;
  const fits = (edge) =>
    (folded[edge.tail].includes(wanted) || folded[edge.head].includes(wanted)) &&
    (!kind || edge.directed === (kind === "directed"));
  const value = shown[sorting.column][1];
  const found = edges.filter(fits).sort((a, b) => compared(value(a), value(b)) * (sorting.rising ? 1 : -1));
  [...byId("edges").querySelectorAll("th")].forEach((head, i) =>
    head.setAttribute("aria-sort", i !== sorting.column ? "none" : sorting.rising ? "ascending" : "descending"),
  );
  refill(byId("edges").querySelector("tbody"), ...found.map((edge) => edgeRow(edge, shown)));
  byId("edges-heading").textContent =
    found.length === edges.length ? plural(edges.length, "edge") : `${found.length} of ${plural(edges.length, "edge")}`;
}

function compared(a, b) {
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

function edgeRow(edge, shown) {
  const show = () => {
    choosePair(edge.tail, edge.head);
    showMembers([edge.tail, edge.head]);
    byId("graph").scrollIntoView({ block: "nearest", behavior: stillness.matches ? "auto" : "smooth" });
  };
  const cells = shown.map(([, value], i) =>
    make("td", {
      class: i === 1 ? "sign" : i === 3 ? "number" : "cut",
      text: i === 3 ? shortP(value(edge)).replace("p = ", "").replace("p <", "<") : value(edge),
      ...(i === 0 || i === 2 ? { title: value(edge) } : {}),
    }),
  );
  cells[0].replaceChildren(
    make("button", {
      type: "button",
      class: "name",
      text: names[edge.tail],
      "aria-label": `${names[edge.tail]} ${edge.directed ? "to" : "and"} ${names[edge.head]}: show the evidence`,
    }),
  );
  return make("tr", { on: { click: show } }, ...cells);
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
  const heading = report.doubts.length ? "The data speak against, the clearest first:" : "The data do not speak against it.";
  byId("doubts").append(
    make("p", { text: heading }),
    make("ol", {}, ...report.doubts.map((text) => make("li", { text: `${text}.` }))),
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
