// A field that offers matching variables: arrows choose, Enter takes, Escape closes.
const MOST_OFFERED = 12;
const folded = names.map((name) => name.toLocaleLowerCase());

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

function setUpCombo(id, take) {
  const field = byId(id);
  const list = byId(`${id}-list`);
  let offered = [];
  let at = -1;
  for (const [name, value] of Object.entries({ role: "combobox", autocomplete: "off", spellcheck: "false", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" })) field.setAttribute(name, value);
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Variables");
  const close = () => {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const point = (to) => {
    at = offered.length ? (to + offered.length) % offered.length : -1;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    if (at < 0) return;
    field.setAttribute("aria-activedescendant", list.children[at].id);
    list.children[at].scrollIntoView({ block: "nearest" });
  };
  const finish = (i) => {
    field.value = names[i];
    field.dataset.chosen = i;
    close();
    take(i);
  };
  const offer = () => {
    const all = matches(field.value);
    offered = all.slice(0, MOST_OFFERED);
    refill(list, ...offered.map((i, j) => make("li", { role: "option", id: `${id}-${j}`, text: names[i], on: { pointerdown: (event) => { event.preventDefault(); finish(i); } } })));
    if (all.length > offered.length) list.append(make("li", { class: "more", role: "presentation", text: `and ${all.length - offered.length} more` }));
    if (!all.length) list.append(make("li", { class: "more", role: "presentation", text: "no variable has that in its name" }));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    point(offered.length ? 0 : -1);
  };
  field.addEventListener("input", () => { delete field.dataset.chosen; offer(); });
  field.addEventListener("focus", () => field.select());
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    const open = !list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) offer();
      else point(at + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && open && at >= 0) {
      event.preventDefault();
      finish(offered[at]);
    } else if (event.key === "Escape") {
      if (open) close();
      else field.blur();
    }
  });
}
