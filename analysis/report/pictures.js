// Values of a drawing under the pointer, and series that a click on their legend hides.
const words = document.createElement("div");
words.className = "values";
words.hidden = true;
document.body.append(words);
const points = new WeakMap(); // part of a drawing: its values
const valuesOf = (part) => {
  if (!points.has(part)) {
    points.set(part, part.dataset.points.split(";").map((text) => {
      const [x, y, against, value] = text.split(",");
      return { x: Number(x), y: Number(y), against, value };
    }));
  }
  return points.get(part);
};
const line = (text, strong) => {
  const element = document.createElement(strong ? "b" : "span");
  element.textContent = text;
  words.append(element);
};
const nearest = (drawing, x, y) => {
  let best = null;
  for (const panel of drawing.querySelectorAll("[data-box]")) {
    const [left, top, right, bottom] = panel.dataset.box.split(" ").map(Number);
    if (x < left - 3 || x > right + 3 || y < top - 3 || y > bottom + 3) continue;
    for (const part of panel.querySelectorAll("[data-points]:not(.off)")) {
      for (const point of valuesOf(part)) {
        const far = Math.hypot(point.x - x, point.y - y);
        if (far < 30 && (!best || far < best.far)) best = { far, part, panel, point };
      }
    }
  }
  return best;
};
const leave = (drawing) => {
  words.hidden = true;
  drawing.querySelector(".at")?.remove();
};
const point = (drawing, event) => {
  leave(drawing);
  const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
  const best = nearest(drawing, place.x, place.y);
  if (!best) return;
  const { part, panel, point } = best;
  const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  for (const [key, value] of Object.entries({ class: "at", cx: point.x, cy: point.y, r: 3.5 })) dot.setAttribute(key, value);
  drawing.append(dot);
  words.replaceChildren();
  line(part.dataset.series, true);
  line(`${panel.dataset.y ? `${panel.dataset.y}: ` : ""}${point.value}`);
  if (point.against) line(`${panel.dataset.x ? `${panel.dataset.x}: ` : ""}${point.against}`);
  words.hidden = false;
  const { width, height } = words.getBoundingClientRect();
  words.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 4))}px`;
  words.style.top = `${event.clientY + 14 + height < innerHeight ? event.clientY + 14 : event.clientY - 14 - height}px`;
};
for (const drawing of document.querySelectorAll("svg.figure")) {
  const parts = [...drawing.querySelectorAll("[data-series]")];
  const inPanels = new Set(parts.filter((part) => part.closest("[data-box]")).map((part) => part.dataset.series));
  for (const key of parts) {
    const name = key.dataset.series;
    if (key.closest("[data-box]") || !inPanels.has(name)) continue;
    const toggle = () => {
      const off = !key.classList.contains("off");
      for (const part of parts) if (part.dataset.series === name) part.classList.toggle("off", off);
      for (const part of parts) if (part.hasAttribute("aria-pressed") && part.dataset.series === name) part.setAttribute("aria-pressed", String(!off));
      leave(drawing);
    };
    key.classList.add("key");
    key.addEventListener("click", toggle);
    if (!key.querySelector("text")) continue;
    for (const [attribute, value] of Object.entries({ role: "button", tabindex: 0, "aria-pressed": true, "aria-label": name })) key.setAttribute(attribute, value);
    key.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle();
    });
  }
  drawing.addEventListener("pointermove", (event) => point(drawing, event));
  drawing.addEventListener("pointerdown", (event) => point(drawing, event));
  drawing.addEventListener("pointerleave", () => leave(drawing));
}
