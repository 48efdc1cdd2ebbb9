"""Second implementations, in NumPy and from the formulas, that the lab's own are held against."""

import numpy as np


def gradient_descent(f, y, f_query, eta, steps, w_0):
    """W <- W - eta/N sum_i (W f_i - y_i) f_i^T, W_0 first; the prediction W f_q."""
    w = np.array(w_0, np.float64)
    for _ in range(steps):
        w -= eta / len(f) * sum(np.outer(w @ fi - yi, fi) for fi, yi in zip(f, y, strict=True))
    return f_query @ w.T


def all_token_transformer(model, prompt):
    """Every projection of every token in every layer, as design 2.2 writes it, then minus the query's y-slot."""
    shape = model.shape
    f, fq = (
        np.concatenate([np.asarray(getattr(i, n)) for n, _ in shape.layout.fields], -1)
        for i in (prompt.context, prompt.query)
    )
    tokens = np.concatenate([f, prompt.answers], -1)
    queries = np.concatenate([fq, -fq @ np.asarray(model.initial_model[...]).T], -1)
    documents = np.zeros((0, 0))
    if shape.document_width:
        documents = np.asarray(prompt.documents)
        documents = documents.mean(0, keepdims=True) if shape.injection.value == "pooled" else documents
    for layer in range(shape.num_layers):
        block = model.blocks[0 if shape.recurrent else layer]
        names = ("w_q", "w_k", "w_v", "p", "w_dk", "w_dv")
        everything = np.concatenate([tokens, queries])
        change = np.zeros_like(everything)
        for head in range(shape.num_heads):
            w_q, w_k, w_v, p, w_dk, w_dv = (np.asarray(getattr(block, name)[...])[head] for name in names)
            keys, values = [w_k @ e for e in tokens], [w_v @ e for e in tokens]
            keys += [w_dk @ d for d in documents]
            values += [w_dv @ d for d in documents]
            for j, e in enumerate(everything):
                change[j] += p @ sum(v * (k @ (w_q @ e)) for k, v in zip(keys, values, strict=True))
        tokens, queries = tokens + change[: len(tokens)], queries + change[len(tokens) :]
    return -queries[:, shape.layout.feature_dim :]
