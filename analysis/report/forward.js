// The forward pass of the lab's attention layers and gradient descent, for prompts in the plane. A token is (x1, x2, y).
// A layer is a list of heads {qk, ov}: qk = W_Q^T W_K and ov = P W_V, each D x D (lab/attention/linear_layers.py).
const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, weight, i) => sum + weight * vector[i], 0));
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const softmax = (scores) => {
  const most = Math.max(...scores), powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / total);
};
const weighing = (model) => (model.softmax ? softmax : (scores) => scores);
// What a layer adds to a token: sum over heads of ov (sum over the context of weight e_s).
const change = (layer, token, context, weigh) => {
  const added = token.map(() => 0);
  for (const { qk, ov } of layer) {
    const weights = weigh(context.map((other) => dot(token, times(qk, other))));
    const read = token.map((_, i) => context.reduce((sum, other, s) => sum + weights[s] * other[i], 0));
    times(ov, read).forEach((value, i) => (added[i] += value));
  }
  return added;
};
const plus = (a, b) => a.map((value, i) => value + b[i]);
// The contexts before each layer: all tokens of a layer read the tokens before it.
const contexts = (model, points) => {
  const all = [points];
  for (const layer of model.layers.slice(0, -1)) {
    const before = all.at(-1);
    all.push(before.map((token) => plus(token, change(layer, token, before, weighing(model)))));
  }
  return all;
};
// The answers to all queries (x1, x2): minus the y-slot of each query's token after the last layer.
const answers = (model, points, queries) => {
  const weigh = weighing(model), before = contexts(model, points);
  return queries.map((query) => {
    let token = [...query, 0];
    model.layers.forEach((layer, i) => (token = plus(token, change(layer, token, before[i], weigh))));
    return -token.at(-1);
  });
};
// The weights of so many steps of gradient descent from zero on the mean over points of (w x - y)^2 / 2.
const descent = (points, rates) => {
  let w = [0, 0];
  for (const rate of rates) {
    const step = [0, 0];
    for (const [x1, x2, y] of points) {
      const miss = y - w[0] * x1 - w[1] * x2;
      step[0] += (rate * miss * x1) / points.length;
      step[1] += (rate * miss * x2) / points.length;
    }
    w = plus(w, step);
  }
  return w;
};
// The layers between two models of one shape: (1 - share) first + share second, circuit by circuit.
const between = (first, second, share) =>
  first.map((layer, l) => layer.map((head, h) => Object.fromEntries(Object.entries(head).map(([name, matrix]) => [
    name, matrix.map((row, i) => row.map((value, j) => (1 - share) * value + share * second[l][h][name][i][j]))]))));
// The gradient of an answer in the query, by central differences.
const sensitivity = (answer, [x1, x2], step = 1e-3) => [
  (answer([x1 + step, x2]) - answer([x1 - step, x2])) / (2 * step),
  (answer([x1, x2 + step]) - answer([x1, x2 - step])) / (2 * step),
];
