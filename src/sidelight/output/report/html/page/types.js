// What each column was taken as, and how that was decided.
const TYPE_COLUMNS = [
  ["Column", (column) => column.name],
  ["Type", (column) => column.type],
  ["Decided by", (column) => column.decided],
  ["Values", (column) => (column.n_values === null ? "many" : column.n_values.toLocaleString("en"))],
  ["Missing", (column) => column.n_missing.toLocaleString("en")],
  ["Example", (column) => column.example],
];

function setUpTypes() {
  byId("columns").hidden = !report.types.length;
  byId("columns-words").textContent = `${report.types_words}.`;
  const [head, body] = ["thead tr", "tbody"].map((part) => byId("types").querySelector(part));
  head.append(...TYPE_COLUMNS.map(([title]) => make("th", { scope: "col", text: title })));
  body.append(
    ...report.types.map((column) =>
      make("tr", {}, ...TYPE_COLUMNS.map(([, value]) => make("td", { text: value(column) }))),
    ),
  );
}
