// The drawing as a file: all of it as it stands, with its legend, as SVG, or as PNG at print size.
const DOTS = 300 / 96; // for each unit of the drawing: 300 dots per inch
const MOST_DOTS = 8000; // of the longer side
const DENSITY = [0, 0, 0, 9, 112, 72, 89, 115, 0, 0, 46, 35, 0, 0, 46, 35, 1, 120, 165, 63, 118]; // PNG's word for it
const AFTER_HEADER = 33;
const KEPT = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "opacity",
  "font-size", "font-weight", "text-anchor", "dominant-baseline", "marker-start", "marker-end", "paint-order",
];
const LEGEND_LINE = 16;

function setUpDownload() {
  byId("save-svg").addEventListener("click", () => save(new Blob([drawingAsText()], { type: "image/svg+xml" }), "svg"));
  byId("save-png").addEventListener("click", async () => {
    save(await drawingAsPng(), "png");
  });
}

// The drawing alone, each part with the look that it has on the page.
function drawingAsText() {
  const [before, shown] = [{ ...camera }, byId("graph")];
  Object.assign(camera, { scale: 1, x: 0, y: 0 }); // so that labels are shown, and lines as wide as they are
  shown.style.setProperty("--paper", "var(--card)"); // white in print
  applyCamera();
  const svg = shown.cloneNode(true);
  inked(shown, svg);
  shown.style.removeProperty("--paper");
  Object.assign(camera, before);
  applyCamera();
  return new XMLSerializer().serializeToString(framed(svg));
}

function inked(shown, copy) {
  const look = getComputedStyle(shown);
  if (look.display === "none" || copy.classList.contains("hit")) {
    copy.remove();
    return;
  }
  const pairs = [...shown.children].map((child, i) => [child, copy.children[i]]);
  if (["path", "rect", "circle", "text", "g"].includes(copy.tagName)) {
    for (const name of KEPT) copy.setAttribute(name, look.getPropertyValue(name).replace(/url\(.*#/, "url(#").replace(/"\)/, ")"));
  }
  for (const name of ["class", "style", "id", "data-node", "data-edge", "tabindex", "role", "aria-roledescription"]) {
    if (copy.tagName !== "marker" || name !== "id") copy.removeAttribute(name);
  }
  for (const [child, its] of pairs) inked(child, its);
}

// With a margin, the colour of the page behind it, and the legend below.
function framed(svg) {
  const { x, y, width, height } = graph.view.getBBox();
  const words = report.legend;
  const margin = 16;
  const box = [x - margin, y - margin, Math.max(width, 460) + 2 * margin, height + 2 * margin + words.length * LEGEND_LINE];
  const page = getComputedStyle(document.documentElement);
  const paper = draw("rect", { x: box[0], y: box[1], width: box[2], height: box[3], fill: page.getPropertyValue("--card").trim() });
  svg.prepend(paper);
  svg.append(...words.map((text, i) => legendLine(text, x, y + height + margin + (i + 0.5) * LEGEND_LINE, page)));
  for (const [name, value] of Object.entries({ viewBox: box.join(" "), width: box[2], height: box[3] })) svg.setAttribute(name, value);
  svg.setAttribute("font-family", "system-ui, sans-serif");
  return svg;
}

function legendLine(text, x, y, page) {
  const line = draw("text", { x, y, "font-size": 11, fill: page.getPropertyValue("--dim").trim(), "dominant-baseline": "central" });
  line.textContent = text;
  return line;
}

async function drawingAsPng() {
  const text = drawingAsText();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const scale = Math.min(DOTS, MOST_DOTS / Math.max(image.width, image.height));
  const canvas = make("canvas", { width: Math.round(image.width * scale), height: Math.round(image.height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  const parts = [png.slice(0, AFTER_HEADER), new Uint8Array(DENSITY), png.slice(AFTER_HEADER)];
  return new Blob(parts, { type: "image/png" });
}

function save(blob, kind) {
  const name = report.title.replace(/\.[^.]*$/, "").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "network";
  const link = make("a", { href: URL.createObjectURL(blob), download: `${name}.${kind}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  announce(`The graph is saved as ${link.download}`);
}
