// Light or dark as the system has it, until the reader decides otherwise.
function setUpTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let decided = null;
  const show = () => {
    const theme = decided ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    const other = theme === "dark" ? "Light" : "Dark";
    byId("theme").textContent = other;
    byId("theme").setAttribute("aria-label", `${other} colours`);
  };
  byId("theme").addEventListener("click", () => {
    decided = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  show();
}
