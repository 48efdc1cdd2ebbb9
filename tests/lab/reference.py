"""Second implementations, in NumPy and from the formulas, that the lab's own are held against."""

import numpy as np


def gradient_descent(f, y, f_query, rates, w_0, beta=0.0):
    """W <- W - 1/N sum_i (W f_i - y_i) f_i^T P + beta (W - W of the step before), W_0 first; W f_q after each step.

    rates: one per step, a number or a matrix P.
    """
    before, w, answers = np.array(w_0, np.float64), np.array(w_0, np.float64), []
    for rate in rates:
        gradient = sum(np.outer(w @ fi - yi, fi) for fi, yi in zip(f, y, strict=True)) / len(f)
        before, w = w, w - gradient @ (rate * np.eye(f.shape[1]) if np.ndim(rate) == 0 else rate) + beta * (w - before)
        answers.append(f_query @ w.T)
    return np.stack(answers)


def attention_stack(model, prompt, weigh=lambda row: row):
    """Every projection of every token in every layer, head by head, written out: what a trace holds.

    weigh: what becomes of one token's scores, softmax or nothing. Where blocks have a norm, they read normed tokens;
    where they have a logit, they add a moving average.
    """
    shape = model.shape
    f, fq = (
        np.concatenate([np.asarray(getattr(inputs, name)) for name, _ in shape.layout.fields], -1)
        for inputs in (prompt.context, prompt.query)
    )
    context = np.concatenate([f, prompt.answers], -1)
    queries = np.concatenate([fq, -fq @ np.asarray(model.initial_model[...]).T], -1)
    documents = np.zeros((0, 0))
    if shape.document_width:
        documents = np.asarray(prompt.documents)
        documents = documents.mean(0, keepdims=True) if shape.injection.value == "pooled" else documents
    tokens, layers = np.concatenate([context, queries]), []
    for layer in range(shape.num_layers):
        block = model.blocks[0 if shape.recurrent else layer]
        change, parts = attention_layer(block, tokens, len(context), weigh, documents)
        tokens = tokens + change
        if shape.clip is not None:
            tokens = np.minimum(np.maximum(tokens, -shape.clip), shape.clip)
        layers.append(parts | {"outputs": tokens, "readouts": -tokens[len(context) :, shape.layout.feature_dim :]})
    return {name: np.stack([np.asarray(layer[name]) for layer in layers]) for name in layers[0]}


def attention_layer(block, tokens, count, weigh, documents=()):
    """What a layer adds to every token, and its scores, keys and values; the first `count` tokens are the context."""
    normed = np.array([layer_norm(block.norm, e) for e in tokens]) if hasattr(block, "norm") else tokens
    change, parts = np.zeros_like(tokens), {"scores": [], "keys": [], "values": []}
    for head in range(len(block.p[...])):
        w_q, w_k, w_v, p, w_dk, w_dv = (
            np.asarray(getattr(block, name)[...])[head] for name in ("w_q", "w_k", "w_v", "p", "w_dk", "w_dv")
        )
        keys = [w_k @ e for e in normed[:count]] + [w_dk @ d for d in documents]
        values = [w_v @ e for e in normed[:count]] + [w_dv @ d for d in documents]
        scores = [[k @ (w_q @ e) for k in keys] for e in normed]
        for j, row in enumerate(scores):
            change[j] += p @ sum(weight * v for weight, v in zip(weigh(row), values, strict=True))
        if hasattr(block, "logit"):
            eta = 1 / (1 + np.exp(-np.asarray(block.logit[...])[head]))
            change += moving_average(eta, values[:count], len(tokens)) @ p.T
        for name, part in (("scores", scores), ("keys", keys), ("values", values)):
            parts[name].append(part)
    return change, parts


def layer_norm(module, e):
    """Over one vector, with the module's scale and bias."""
    normed = (e - e.mean()) / np.sqrt(e.var() + module.epsilon)
    return normed * np.asarray(module.scale[...]) + np.asarray(module.bias[...])


def gelu(z):
    """By its usual approximation, which is JAX's default."""
    return 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))


def turned(vector, position):
    """Rotary positions: coordinates a and a + A/2 by position * 10^(-4 * 2a/A)."""
    first, second = np.split(vector, 2)
    angles = position * 10_000.0 ** (-np.arange(len(first)) / len(first))
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([cos * first - sin * second, sin * first + cos * second])


def softmax(row):
    weights = np.exp(row)
    return weights / weights.sum()


def moving_average(eta, values, num_tokens):
    """s <- eta (s + v) from one example to the next, of each token before its own value; all queries have the last."""
    averages = [np.zeros_like(values[0])]
    for v in values:
        averages.append(eta * (averages[-1] + v))
    return np.array([averages[min(j, len(values))] for j in range(num_tokens)])
