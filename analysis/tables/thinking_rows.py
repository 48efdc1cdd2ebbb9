"""Rows about reading demonstrations again and again: norms of its updates, and what it costs."""

import numpy as np

from analysis.tables.thinking import NOTHING_KEPT, PREFIX_KEPT, THINKING, Common, Cost, Norms
from lab.learners.deep_thinking import recurrence

ROUNDING = 1e-5  # of the largest norm: smaller ones are rounding of float32


def norm_rows(norms_TxL: np.ndarray, eta: float, beta: float) -> list[dict]:
    """Return one row per layer and iteration of a rate and a momentum: the columns `Norms`."""
    rows, expected_T = [], np.abs(recurrence(len(norms_TxL), eta, beta))
    for layer in range(norms_TxL.shape[1]):
        first, size = norms_TxL[1, layer], norms_TxL[1].max()
        for t in range(1, len(norms_TxL)):
            rows.append(
                {Common.ETA: eta, Common.BETA: beta, Norms.LAYER: layer + 1, Common.ITERATIONS: t + 1}
                | {
                    Norms.NORM: float(norms_TxL[t, layer]),
                    Norms.RELATIVE: float(norms_TxL[t, layer] / first) if first > ROUNDING * size else None,
                    Norms.RECURRENCE: float(expected_T[t]),
                }
            )
    return rows


def cost_rows(context: float, query: float, token_bytes: float, iterations: int, memory: float) -> list[dict]:
    """Return one row per way to answer: the columns `Cost`.

    Args:
        context: tokens of the demonstrations. query: tokens of a query.
        token_bytes: of a token's keys and values in all layers.
        iterations: how often the demonstrations are read.
        memory: GiB for keys and values.
    """
    ways = {
        NOTHING_KEPT: (0, context + query, 0),
        PREFIX_KEPT: (context, query, context * token_bytes),
        THINKING: (iterations * context, query, context * token_bytes),
    }
    return [
        {
            Cost.WAY: name,
            Cost.TOKENS_PER_PROMPT: once,
            Cost.TOKENS_PER_QUERY: each,
            Cost.ATTENDED: context + query,
            Cost.KEY_VALUE_BYTES: num_bytes,
            Cost.PROMPTS_THAT_FIT: int(memory * 2**30 / num_bytes) if num_bytes else None,
            Cost.QUERIES_THAT_FIT: int((memory * 2**30 - num_bytes) / (each * token_bytes)),
        }
        for name, (once, each, num_bytes) in ways.items()
    ]
