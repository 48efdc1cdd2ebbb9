// The page of a prompt in the plane: draws MODELS (weights, see experiments/explorer.py) and moves the points.
const SVG = "http://www.w3.org/2000/svg", LIMIT = 1.2, EDGE = 1.25;
const at = (id) => document.getElementById(id);
const planes = [...document.querySelectorAll(".plane")].map((plane) => ({
  pixels: plane.querySelector("canvas").getContext("2d"), svg: plane.querySelector("svg"),
}));
let points, query, most; // most: the size of y from which on colours no longer change
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
const uniform = () => 2 * Math.random() - 1;
const draw = () => {
  const w = [normal(), normal()];
  points = Array.from({ length: 10 }, () => [uniform(), uniform()]).map((x) => [...x, dot(w, x)]);
  query = [0.5, -0.3];
  most = Math.max(...points.map(([, , y]) => Math.abs(y)));
};
// From blue below zero through white to orange above.
const mix = (a, b, share) => a.map((value, i) => Math.round(value + (b[i] - value) * share));
const colour = (value) => {
  const share = Math.min(1, Math.abs(value) / most);
  return mix([255, 255, 255], value < 0 ? [0, 99, 160] : [200, 80, 0], share);
};
const element = (parent, tag, attributes) => {
  const made = parent.appendChild(document.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};
const background = ({ pixels }, several) => {
  const side = pixels.canvas.width, place = (i) => ((i + 0.5) / side) * 2 * EDGE - EDGE;
  const queries = Array.from({ length: side * side }, (_, i) => [place(i % side), -place(Math.floor(i / side))]);
  const image = pixels.createImageData(side, side);
  several(queries).forEach((value, i) => image.data.set([...colour(value), 255], 4 * i));
  pixels.putImageData(image, 0, 0);
};
const handle = (shape, name, position) => {
  shape.classList.add("handle");
  shape.setAttribute("tabindex", "0");
  shape.setAttribute("role", "button");
  shape.setAttribute("aria-label", name);
  const moveTo = ([x1, x2]) => {
    const inside = (value) => Math.max(-LIMIT, Math.min(LIMIT, value));
    [position[0], position[1]] = [inside(x1), inside(x2)];
    update();
  };
  shape.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const svg = shape.ownerSVGElement;
    const follow = (moved) => {
      const box = svg.getBoundingClientRect();
      const share = [(moved.clientX - box.left) / box.width, (moved.clientY - box.top) / box.height];
      moveTo([(2 * share[0] - 1) * EDGE, (1 - 2 * share[1]) * EDGE]);
    };
    const listeners = { pointermove: follow, pointerup: stop, pointercancel: stop };
    function stop() {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener);
    }
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener);
  });
  shape.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-0.05, 0], ArrowRight: [0.05, 0], ArrowUp: [0, 0.05], ArrowDown: [0, -0.05] }[event.key];
    if (!step) return;
    event.preventDefault();
    moveTo(plus(position, step));
  });
};
// Handles are made once for a prompt, so that a drag and the focus of the keyboard survive each update.
const make = ({ svg }) => {
  svg.replaceChildren();
  const circles = points.map((point, i) => {
    const circle = element(svg, "circle", { r: 0.05 });
    handle(circle, `example ${i + 1}`, point);
    return circle;
  });
  const line = element(svg, "path", { class: "arrow" });
  const diamond = element(svg, "path", { d: "M0,-.08 L.08,0 L0,.08 L-.08,0 Z", fill: "#fff" });
  handle(diamond, "query", query);
  return { circles, line, diamond };
};
const place = ({ circles, line, diamond }, gradient, longest) => {
  circles.forEach((circle, i) => {
    circle.setAttribute("cx", points[i][0]);
    circle.setAttribute("cy", -points[i][1]);
    circle.setAttribute("fill", `rgb(${colour(points[i][2])})`);
  });
  diamond.setAttribute("transform", `translate(${query[0]} ${-query[1]})`);
  const [x, y] = [query[0], -query[1]], [dx, dy] = [gradient[0], -gradient[1]].map((each) => (0.5 * each) / longest);
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [(0.06 * dx) / length, (0.06 * dy) / length];
  line.setAttribute("d", `M${x},${y} l${dx},${dy} m${-ux - uy},${-uy + ux} l${ux + uy},${uy - ux} l${-ux + uy},${-uy - ux}`);
};
let shapes = [];
const update = () => {
  const model = MODELS[at("model").value], share = Number(at("share").value);
  at("sliding").hidden = !model.constructed;
  at("shown").textContent = share;
  const layers = model.constructed ? between(model.layers, model.constructed, share) : model.layers;
  const w = descent(points, Array(model.steps).fill(model.rate));
  const learners = [
    { title: share && model.constructed ? `${model.title}, ${Math.round(100 * share)}% constructed` : model.title,
      several: (queries) => answers({ ...model, layers }, points, queries) },
    { title: `gradient descent, ${model.steps === 1 ? "one step" : `${model.steps} steps`}`,
      several: (queries) => queries.map((x) => dot(w, x)) },
  ];
  // Between two models it was not measured.
  const loss = (i) => (i || !share || !model.constructed ? model.losses[i].toFixed(4) : "");
  const gradients = learners.map(({ several }) => sensitivity((x) => several([x])[0], query));
  at("numbers").replaceChildren();
  learners.forEach(({ title, several }, i) => {
    at(["first", "second"][i]).textContent = title;
    background(planes[i], several);
    place(shapes[i], gradients[i], Math.max(1e-9, ...gradients.map((each) => Math.hypot(...each))));
    const row = at("numbers").insertRow(), value = several([query])[0];
    [title, value.toFixed(3), `(${gradients[i].map((each) => each.toFixed(3)).join(", ")})`, loss(i)].forEach(
      (text) => (row.insertCell().textContent = text));
  });
  const [a, b] = gradients, cosine = dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  at("alike").textContent = `Cosine of the two sensitivities: ${cosine.toFixed(4)}.`;
};
const begin = () => {
  draw();
  shapes = planes.map(make);
  update();
};
at("again").addEventListener("click", begin);
at("model").addEventListener("input", update);
at("share").addEventListener("input", update);
begin();
