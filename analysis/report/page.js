// Tables sort by a click on a column's head; on paper everything folded is shown.
const number = (text) => (/^[+-]?(\d|\.\d)/.test(text) ? parseFloat(text) : NaN);
const compare = (one, two) => {
  const [a, b] = [number(one), number(two)];
  if (!one || !two) return Number(!one) - Number(!two);
  return isNaN(a) || isNaN(b) ? one.localeCompare(two) : a - b;
};
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const text = (row) => row.cells[column].textContent.trim().replace(/^-$/, "");
      const rows = [...table.tBodies[0].rows].sort((a, b) => {
        const order = compare(text(a), text(b));
        return up || !text(a) || !text(b) ? order : -order;
      });
      table.tBodies[0].append(...rows);
    });
  });
}
// What is wider than the page says so, and is scrolled by keys too.
// In the next frame: what changes a size that is being reported makes the browser complain of a loop.
const mark = (target) => {
  const scrolls = target.scrollWidth > target.clientWidth + 1;
  target.classList.toggle("scrolls", scrolls);
  if (scrolls) target.tabIndex = 0;
  else target.removeAttribute("tabindex");
};
const watch = new ResizeObserver((entries) =>
  requestAnimationFrame(() => entries.forEach(({ target }) => mark(target))));
document.querySelectorAll(".wide").forEach((one) => watch.observe(one));
// A link to what is folded opens it.
const open = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", open);
open();
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
