// A field that offers matching variables: arrows choose, Enter takes, Escape closes.
const MOST_OFFERED = 12;
const folded = names.map((name) => name.toLocaleLowerCase());

// Names that begin with the text come first, then short ones.
function matches(text) {
  const wanted = text.trim().toLocaleLowerCase();
  const found = [];
  folded.forEach((name, i) => {
    const at = name.indexOf(wanted);
    if (at >= 0) found.push([at > 0, name.length, i]);
  });
  found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  return found.map(([, , i]) => i);
}

class Combo {
  constructor(id, take) {
    this.field = byId(id);
    this.list = byId(`${id}-list`);
    this.take = take;
    this.offered = [];
    this.at = -1;
    const roles = {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": this.list.id,
    };
    for (const [name, value] of Object.entries({ ...roles, autocomplete: "off", spellcheck: "false" })) {
      this.field.setAttribute(name, value);
    }
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Variables");
    this.field.addEventListener("input", () => {
      delete this.field.dataset.chosen;
      this.offer();
    });
    this.field.addEventListener("focus", () => this.field.select());
    this.field.addEventListener("blur", () => this.close());
    this.field.addEventListener("keydown", (event) => this.press(event));
  }

  close() {
    this.list.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }

  offer() {
    const all = matches(this.field.value);
    this.offered = all.slice(0, MOST_OFFERED);
    refill(this.list, ...this.offered.map((i, j) => this.option(i, j)));
    const more = all.length - this.offered.length;
    if (more) this.list.append(make("li", { class: "more", role: "presentation", text: `and ${more} more` }));
    if (!all.length) this.list.append(make("li", { class: "more", role: "presentation", text: "no such variable" }));
    this.list.hidden = false;
    this.field.setAttribute("aria-expanded", "true");
    this.point(0);
  }

  option(i, j) {
    const press = (event) => {
      event.preventDefault(); // the field keeps the focus
      this.finish(i);
    };
    return make("li", { role: "option", id: `${this.field.id}-${j}`, text: names[i], on: { pointerdown: press } });
  }

  point(to) {
    const count = this.offered.length;
    this.at = count ? (to + count) % count : -1;
    [...this.list.children].slice(0, count).forEach((item, i) => item.setAttribute("aria-selected", i === this.at));
    if (this.at < 0) return this.field.removeAttribute("aria-activedescendant");
    this.field.setAttribute("aria-activedescendant", this.list.children[this.at].id);
    this.list.children[this.at].scrollIntoView({ block: "nearest" });
  }

  finish(i) {
    this.field.value = names[i];
    this.field.dataset.chosen = i;
    this.close();
    this.take(i);
  }

  press(event) {
    const open = !this.list.hidden;
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (way) {
      event.preventDefault();
      if (open) this.point(this.at + way);
      else this.offer();
    } else if (event.key === "Enter" && open && this.at >= 0) {
      event.preventDefault();
      this.finish(this.offered[this.at]);
    } else if (event.key === "Escape") {
      if (open) this.close();
      else this.field.blur();
    }
  }
}
