// Tables that a click on a title sorts; a row shows its pair in the graph and the evidence for it.
const MOST_ROWS = 200; // until the reader asks for all

class SortedTable {
  // A column has a title, a value to sort by, and a cell; those with falls show the largest first.
  constructor(id, columns, items, { fits, pair, count, column = 0, most = Infinity }) {
    Object.assign(this, { columns, items, fits, pair, count, column, most, rising: !columns[column].falls });
    this.table = byId(id);
    this.table.querySelector("thead tr").append(...columns.map((_, i) => this.title(i)));
    this.more = make("button", { type: "button", class: "link", on: { click: () => this.showAll() } });
    this.table.after(this.more);
    this.fill();
  }

  title(i) {
    const { title, hint, falls } = this.columns[i];
    const sort = () => {
      Object.assign(this, { column: i, rising: this.column === i ? !this.rising : !falls });
      this.fill();
    };
    const button = make("button", { type: "button", text: title, ...(hint ? { title: hint } : {}), on: { click: sort } });
    return make("th", { scope: "col", "aria-sort": "none" }, button);
  }

  fill() {
    const { value } = this.columns[this.column];
    const way = this.rising ? 1 : -1;
    const found = this.items.filter(this.fits).sort((a, b) => compared(value(a), value(b)) * way);
    [...this.table.querySelectorAll("th")].forEach((head, i) =>
      head.setAttribute("aria-sort", i !== this.column ? "none" : this.rising ? "ascending" : "descending"),
    );
    refill(this.table.querySelector("tbody"), ...found.slice(0, this.most).map((item) => this.row(item)));
    this.more.hidden = found.length <= this.most;
    this.more.textContent = `Show all ${found.length.toLocaleString("en")}`;
    this.count(found.length);
  }

  row(item) {
    const [a, b] = this.pair(item);
    return make("tr", { on: { click: () => showPair(a, b) } }, ...this.columns.map(({ cell }) => cell(item)));
  }

  showAll() {
    this.most = Infinity;
    this.fill();
  }
}

function compared(a, b) {
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

function showPair(a, b) {
  choosePair(a, b);
  showMembers([a, b]);
  byId("graph").scrollIntoView({ block: "nearest", behavior: stillness.matches ? "auto" : "smooth" });
}

function nameCell(i) {
  return make("td", { class: "cut", text: names[i], title: names[i] });
}

// The first cell of a row, which the keyboard reaches.
function leadingCell(i, label) {
  const button = make("button", { type: "button", class: "name", text: names[i], "aria-label": `${label}: show the evidence` });
  return make("td", { class: "cut", title: names[i] }, button);
}

function signCell(text) {
  return make("td", { class: "sign", text });
}

function numberCell(text) {
  return make("td", { class: "number", text });
}

// How many of all there are, after filtering.
function ofAll(count, all, word) {
  return count === all ? plural(all, word) : `${count.toLocaleString("en")} of ${plural(all, word)}`;
}
