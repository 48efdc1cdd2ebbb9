"use strict";
// The list is made once; searching hides rows, sorting moves them. Every text from a run is set as text, never as HTML.
const data = JSON.parse(document.getElementById("data").textContent);
const runs = data.runs.map((run) => ({ ...run, id: `${run.name}/${run.hash}` }));
const ignored = new Set(data.ignored);
const $ = (id) => document.getElementById(id);
const chosen = []; // runs, in the order in which they were ticked

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
};
const drawn = (tag, attributes = {}, text = "") => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
};

// How numbers read

const units = [[31536000, "y"], [86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
const age = (changed) => {
  const seconds = Math.max(Date.now() / 1000 - changed, 0);
  const [length, unit] = units.find(([length]) => seconds >= length) ?? [1, "s"];
  return `${Math.floor(seconds / length)} ${unit}`;
};
const size = (bytes) => {
  let unit = 0;
  for (; bytes >= 1000 && unit < 3; unit += 1) bytes /= 1000;
  return `${unit && bytes < 100 ? bytes.toFixed(1) : bytes.toFixed(0)} ${["B", "kB", "MB", "GB"][unit]}`;
};
const brief = (value) => (value === 0 ? "0" : String(Number(value.toPrecision(4))));
const withError = (value, error) => {
  if (!error || !isFinite(error)) return brief(value);
  const places = 1 - Math.floor(Math.log10(error));
  if (places > 8 || places < -6) {
    const more = value ? Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(error)) : 0;
    return `${value.toPrecision(Math.min(Math.max(more + 2, 1), 12))} ± ${error.toPrecision(2)}`;
  }
  const digits = (number) => (Math.round(number * 10 ** places) / 10 ** places).toFixed(Math.max(places, 0));
  return `${digits(value)} ± ${digits(error)}`;
};

// The list

const address = (run) => `./${encodeURIComponent(run.name)}/${encodeURIComponent(run.hash)}/report.html`;
const settingsText = (settings) => Object.entries(settings).map(([key, value]) => `${key}=${value}`).join("  ");
for (const run of runs) {
  run.states = [run.state, ...(run.stale ? ["stale"] : [])];
  const all = Object.entries(run.settings).map(([key, value]) => `${key}=${value}`);
  run.text = [run.id, data.questions[run.name], run.answer, run.why, run.states.join(", "), run.stale, ...all].join("\n").toLowerCase();
  run.words = new Set(all.map((word) => word.toLowerCase()));
  run.box = element("input", { type: "checkbox", "aria-label": `compare ${run.id}` });
  run.box.addEventListener("change", () => tick(run, run.box.checked));
  const name = run.report ? element("a", { href: address(run) }, run.hash) : run.hash;
  run.row = element("tr", {},
    element("td", {}, run.box),
    element("td", {}, element("b", {}, run.name), element("br"), name),
    element("td", {},
      element("p", { class: "quiet" }, data.questions[run.name] ?? ""),
      element("p", { class: "settings" }, settingsText(run.differing)),
      run.points === null ? "" : element("p", { class: "quiet" }, `a sweep of ${run.points} points`),
      element("p", {}, run.why || run.answer),
      run.stale ? element("p", { class: "quiet" }, `stale: ${run.stale}`) : ""),
    element("td", { class: run.stale ? null : run.state, title: run.stale || null }, run.states.join(", ")),
    element("td", {}, age(run.changed)),
    element("td", {}, run.seconds === null ? "–" : `${brief(Math.round(run.seconds * 10) / 10)} s`),
    element("td", {}, size(run.size)));
}
const orders = {
  name: (one, other) => one.id.localeCompare(other.id),
  age: (one, other) => other.changed - one.changed,
  seconds: (one, other) => (other.seconds ?? -1) - (one.seconds ?? -1),
  size: (one, other) => other.size - one.size,
  state: (one, other) => one.states.join().localeCompare(other.states.join()),
};
const options = (select, values, labels = values) =>
  select.replaceChildren(...values.map((value, place) => element("option", { value }, labels[place])));
options($("sort"), Object.keys(orders));
const states = [...new Set(runs.flatMap((run) => run.states))].sort();
options($("state"), ["", ...states], ["all", ...states]);

const fits = (run, word) => (word.includes("=") ? run.words.has(word) || run.text.includes(word) : run.text.includes(word));
const list = () => {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const turned = $("turn").getAttribute("aria-pressed") === "true" ? -1 : 1;
  const order = orders[$("sort").value];
  const shown = runs.filter((run) => words.every((word) => fits(run, word)))
    .filter((run) => !$("state").value || run.states.includes($("state").value))
    .sort((one, other) => turned * order(one, other) || orders.name(one, other));
  document.querySelector("#runs tbody").replaceChildren(...shown.map((run) => run.row));
  const hidden = chosen.filter((run) => !shown.includes(run)).length;
  $("count").textContent = `${shown.length} of ${runs.length} runs, ${chosen.length} ticked` +
    (hidden ? ` (${hidden} of them not in the list)` : "");
};
const tick = (run, isChosen) => {
  if (isChosen && !chosen.includes(run)) chosen.push(run);
  if (!isChosen && chosen.includes(run)) chosen.splice(chosen.indexOf(run), 1);
  run.box.checked = isChosen;
  run.row.classList.toggle("chosen", isChosen);
  remember();
  list();
  compare();
};
// The address keeps what is chosen, so that it can be bookmarked.
const remember = () => history.replaceState(null, "", `#${chosen.map((run) => encodeURIComponent(run.id)).join(",")}`);

// The comparison

const dashes = ["", "7 4", "2 3", "9 3 2 3"];
const look = (place) => ({
  stroke: `var(--c${place % 6})`, "stroke-width": 2, fill: "none", "stroke-dasharray": dashes[Math.floor(place / 6) % 4],
});
const short = (run) => `${run.name}/${run.hash.slice(0, 6)}`;
const differingKeys = () => [...new Set(chosen.flatMap((run) => Object.keys(run.settings)))]
  .filter((key) => !ignored.has(key))
  .filter((key) => new Set(chosen.map((run) => run.settings[key])).size > 1);
const few = 6; // settings in a legend
const described = (run) => settingsText(Object.fromEntries(
  differingKeys().filter((key) => key in run.settings).slice(0, few).map((key) => [key, run.settings[key]])));

const compare = () => {
  $("comparison").hidden = chosen.length === 0;
  if (!chosen.length) return;
  const before = $("base").value;
  options($("base"), chosen.map((run) => run.id));
  if (chosen.some((run) => run.id === before)) $("base").value = before;
  $("legend").replaceChildren(...chosen.map((run, place) => {
    const line = drawn("svg", { viewBox: "0 0 38 12", "aria-hidden": "true" });
    line.append(drawn("line", { x1: 0, y1: 6, x2: 38, y2: 6, ...look(place), "stroke-width": 3 }));
    return element("li", {}, line, element("b", {}, run.id), " ",
      element("span", { class: "settings" }, described(run)));
  }));
  $("command").hidden = chosen.length !== 2;
  if (chosen.length === 2) $("command").textContent = `python run.py runs compare ${chosen.map((run) => run.id).join(" ")}`;
  measures();
  settingsTable();
  numbersTable();
  claimsTable();
};

const table = (target, heads, rows) => target.replaceChildren(
  element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
  element("tbody", {}, ...rows));
const cells = (...values) => element("tr", {}, ...values.map((value) =>
  element("td", {}, ...(Array.isArray(value) ? value : [value]))));

const settingsTable = () => {
  const rows = differingKeys().map((key) => cells(key, ...chosen.map((run) => run.settings[key] ?? "–")));
  const none = chosen.length > 1 ? "No settings differ." : "Tick a second run.";
  table($("settings"), ["key", ...chosen.map(short)], rows.length ? rows : [cells(none)]);
};

// The other run's number less the first's: within seeds that both have, where there are two or more.
const difference = (one, other, name) => {
  if (one.seeds[name] && other.seeds[name]) {
    const [seeds, values, common] = one.seeds[name];
    const [otherSeeds, otherValues, otherCommon] = other.seeds[name];
    const pairs = seeds.map((seed, place) => [values[place], otherValues[otherSeeds.indexOf(seed)]])
      .filter(([, value]) => value !== undefined).map(([a, b]) => b - a);
    if (pairs.length > 1) {
      const mean = pairs.reduce((sum, value) => sum + value, 0) / pairs.length;
      const squares = pairs.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      const overSeeds = Math.sqrt(squares / (pairs.length - 1) / pairs.length);
      return [mean, Math.hypot(overSeeds, common, otherCommon), `paired over ${pairs.length} seeds`];
    }
  }
  const [[a, errorA], [b, errorB]] = [one.numbers[name], other.numbers[name]];
  const known = errorA !== null && errorB !== null;
  return [b - a, known ? Math.hypot(errorA, errorB) : null, known ? "not paired" : "error unknown"];
};

const first = 12; // numbers that are shown at once
const numbersTable = () => {
  const base = chosen.find((run) => run.id === $("base").value);
  const others = chosen.filter((run) => run !== base);
  const shared = Object.keys(base.numbers).filter((name) => others.every((run) => run.numbers[name]));
  $("choice").hidden = shared.length <= first;
  $("choice").querySelector("span").textContent = `all ${shared.length} numbers`;
  const between = (run, name) => {
    const [mean, error, how] = difference(base, run, name);
    return [element("b", {}, withError(mean, error)), element("br"), element("span", { class: "quiet" }, how)];
  };
  const rows = shared.slice(0, $("all").checked ? undefined : first).map((name) => cells(data.labels[name],
    ...others.map((run) => between(run, name)), ...[base, ...others].map((run) => withError(...run.numbers[name]))));
  const heads = ["number", ...others.map((run) => `${short(run)} − ${short(base)}`), ...[base, ...others].map(short)];
  table($("numbers"), heads, rows.length ? rows : [cells("They have no number in common.")]);
};

const verdict = (holds) => (holds === null ? "not judged"
  : element("span", { class: holds ? "holds" : "fails" }, holds ? "✓ holds" : "✗ does not hold"));
const claimsTable = () => {
  const all = chosen.map((run) => new Map(run.claims));
  const statements = [...new Set(all.flatMap((claims) => [...claims.keys()]))];
  $("verdicts").hidden = !statements.length;
  const rows = statements.map((statement) =>
    cells(statement, ...all.map((claims) => (claims.has(statement) ? verdict(claims.get(statement)) : "–"))));
  table($("claims"), ["statement", ...chosen.map(short)], rows);
};

// The plot

const measures = () => {
  const before = $("measure").value;
  const all = [...new Set(chosen.flatMap((run) => Object.keys(run.curves)))];
  $("drawing").hidden = !all.length;
  $("nocurves").hidden = all.length > 0;
  options($("measure"), all, all.map((name) => data.labels[name] ?? name.replaceAll("_", " ").replaceAll(".", ", ")));
  const first = all.find((name) => name.startsWith("loss.")) ?? all[0];
  if (all.length) $("measure").value = all.includes(before) ? before : first;
  plot();
};
let view = null; // what the plot shows: {steps, series, x, y}
const plot = () => {
  const svg = $("plot"), name = $("measure").value, logarithmic = $("logarithmic").checked;
  const series = chosen.map((run, place) => ({ run, place, curve: run.curves[name] })).filter(({ curve }) => curve);
  svg.replaceChildren();
  view = null;
  if (!series.length || $("drawing").hidden) return;
  const [width, height] = [svg.clientWidth || 600, svg.clientHeight || 350];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", `${$("measure").selectedOptions[0].text} against the training step, of ${chosen.map(short).join(", ")}`);
  const usable = (value) => value !== null && isFinite(value) && (!logarithmic || value > 0);
  const values = series.flatMap(({ curve: [, means, errors] }) => means.flatMap((mean, at) =>
    [mean, mean - (errors[at] ?? 0), mean + (errors[at] ?? 0)])).filter(usable);
  const steps = series.flatMap(({ curve: [steps] }) => steps);
  if (!values.length) return;
  const bend = logarithmic ? Math.log10 : (value) => value;
  const [low, high] = [bend(Math.min(...values)), bend(Math.max(...values))];
  const [left, right, top, bottom] = [64, 28, 10, 44];
  const [from, to] = [Math.min(...steps), Math.max(...steps)];
  const x = (step) => left + ((step - from) / (to - from || 1)) * (width - left - right);
  const y = (value) => height - bottom - ((bend(value) - low) / (high - low || 1)) * (height - top - bottom);
  for (const at of ticks(low, high, logarithmic)) {
    svg.append(drawn("line", { class: "grid", x1: left, x2: width - right, y1: y(at), y2: y(at) }));
    svg.append(drawn("text", { x: left - 6, y: y(at) + 4, "text-anchor": "end" }, brief(at)));
  }
  for (const at of ticks(from, to, false))
    svg.append(drawn("text", { x: x(at), y: height - bottom + 18, "text-anchor": "middle" }, brief(at)));
  svg.append(drawn("text", { x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, "training step"));
  for (const { run, place, curve: [steps, means, errors] } of series) {
    const points = steps.map((step, at) => [step, means[at], errors[at] ?? 0]).filter(([, mean]) => usable(mean));
    const edge = (sign) => points.map(([step, mean, error]) => {
      const value = mean + sign * error;
      return `${x(step).toFixed(1)},${y(usable(value) ? value : mean).toFixed(1)}`;
    });
    if (errors.length) svg.append(drawn("polygon", {
      points: [...edge(1), ...edge(-1).reverse()].join(" "), fill: `var(--c${place % 6})`, opacity: 0.18,
    }));
    const line = drawn("polyline", { points: edge(0).join(" "), ...look(place), "data-run": run.id });
    line.append(drawn("title", {}, run.id));
    svg.append(line);
  }
  view = { steps: [...new Set(steps)].sort((a, b) => a - b), series, x, top, bottom: height - bottom, at: -1 };
};
const ticks = (low, high, logarithmic) => {
  if (logarithmic && Math.floor(high) - Math.ceil(low) >= 1) {
    const first = Math.ceil(low), count = Math.floor(high) - first + 1, every = Math.ceil(count / 6);
    return Array.from({ length: Math.ceil(count / every) }, (_, place) => 10 ** (first + place * every));
  }
  const [from, to] = logarithmic ? [10 ** low, 10 ** high] : [low, high];
  if (!(to > from)) return [from];
  const raw = (to - from) / 5, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, place) => (first + place) * step)
    .filter((at) => !logarithmic || at > 0);
};
const readOut = (at) => {
  if (!view) return;
  view.at = Math.max(0, Math.min(view.steps.length - 1, at));
  const step = view.steps[view.at], svg = $("plot");
  svg.querySelector(".cursor")?.remove();
  svg.append(drawn("line", { class: "cursor", x1: view.x(step), x2: view.x(step), y1: view.top, y2: view.bottom }));
  const said = view.series.filter(({ curve: [steps] }) => steps.includes(step)).map(({ run, curve: [steps, means, errors] }) => {
    const place = steps.indexOf(step);
    return `${short(run)} ${withError(means[place], errors[place])}`;
  });
  $("readout").textContent = `step ${step}: ${said.join("; ")}`;
};
$("plot").addEventListener("pointermove", (event) => {
  if (!view) return;
  const place = event.clientX - $("plot").getBoundingClientRect().left;
  const far = view.steps.map((step) => Math.abs(view.x(step) - place));
  readOut(far.indexOf(Math.min(...far)));
});
$("plot").addEventListener("keydown", (event) => {
  const moves = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  if (!view || !(event.key in moves)) return;
  event.preventDefault();
  readOut(view.at + moves[event.key]);
});

for (const id of ["search", "state", "sort"]) $(id).addEventListener("input", list);
$("controls").addEventListener("submit", (event) => event.preventDefault());
$("turn").addEventListener("click", () => {
  $("turn").setAttribute("aria-pressed", String($("turn").getAttribute("aria-pressed") !== "true"));
  list();
});
$("untick").addEventListener("click", () => [...chosen].forEach((run) => tick(run, false)));
for (const id of ["base", "all"]) $(id).addEventListener("input", numbersTable);
for (const id of ["measure", "logarithmic"]) $(id).addEventListener("input", plot);
addEventListener("resize", plot);
const wanted = location.hash.slice(1).split(",").map((part) => {
  try { return decodeURIComponent(part); } catch { return ""; }
});
list();
wanted.map((id) => runs.find((run) => run.id === id)).filter(Boolean).forEach((run) => tick(run, true));
