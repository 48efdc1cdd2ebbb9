"""The dual model in a Transformer: rotary positions, grouped queries, several layers [LRGD eqs. 24-27].

A feature map can rotate its argument first, so rotary positions are a part of phi. Heads of one group share one model W
of their keys and values in ratio form, and differ in their queries. Several layers are exact if every token of every
layer has a dual model of its own.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.dual_form import heads
from experiments.duals.dual_form.forms import descend_explicitly, explicit_start, kernel_form, kernel_ratio
from experiments.duals.dual_form.rows import Measured, Statement, distance, over_cases
from experiments.duals.dual_form.settings import DualForm
from lab import dual
from lab.attention.positional import Rope
from lab.attention.softmax import Softmax

LAYERS = 2
SPEEDS = 10_000.0 ** (-2 * np.arange(heads.KEY_WIDTH // 2) / heads.KEY_WIDTH)  # of the planes of rotary positions

TOPIC = "whole Transformers"
STATEMENTS = {
    "rotary_positions": Statement(
        "With keys and queries turned by their positions inside phi, the scores depend on the difference of positions."
    ),
    "grouped_queries": Statement(
        "Heads of one group have one model W in ratio form, and differ in their queries.", "LRGD, eqs. 26-27"
    ),
    "several_layers": Statement(
        "Several layers are exact if every token of every layer has a dual model of its own.", "LRGD, eqs. 24-25"
    ),
}


class Layer(NamedTuple):
    """The matrices of L layers: (L, A, C) for queries and keys, (L, C, C) for values and w_o."""

    w_q: jax.Array
    w_k: jax.Array
    w_v: jax.Array
    w_o: jax.Array


def measure(settings: DualForm) -> Measured:
    """Return the distances of the two sides of each identity, for every case."""
    width, tokens = settings.input_dim, settings.instructions + settings.examples + 1
    sizes = [
        (heads.HEADS, width, width),
        (tokens, width),
        *[(LAYERS, heads.KEY_WIDTH, width)] * 2,
        *[(LAYERS, width, width)] * 2,
    ]
    concat, x, *matrices = heads.random_arrays(settings, 3, *sizes)
    layers, rate = Layer(*(heads.as_jax(width**-0.5 * each) for each in matrices)), settings.learning_rate

    def case(each, concat_HxCxC, x_TxC, its_layers):
        rotary = rotary_positions(heads.prompt_of(settings, each), rate)
        grouped = grouped_queries(settings, each, concat_HxCxC, rate)
        return rotary | grouped | several_layers(settings, x_TxC, its_layers, rate)

    return over_cases(case, heads.heads(settings), width**-0.5 * concat, x, layers)


def rotations(angles: np.ndarray) -> np.ndarray:
    """Return the rotation matrices (..., A, A) of the angles (..., A / 2)."""
    cos, sin = (function(angles)[..., None] * np.eye(heads.KEY_WIDTH // 2) for function in (np.cos, np.sin))
    return np.concatenate([np.concatenate([cos, -sin], axis=-1), np.concatenate([sin, cos], axis=-1)], axis=-2)


def rotary_positions(head: heads.Head, rate) -> Measured:
    """Return the errors of rotary positions: rotated queries and keys against scores q . R_{n - m} k, where n is the
    position of the key and m that of the query."""
    key_position_S = np.arange(len(head.keys_SxA))
    query_position_Q = len(key_position_S) + np.arange(heads.QUERIES)
    rope = Rope(0, heads.KEY_WIDTH, jax.random.key(0))
    rotated = head._replace(
        queries_QxA=rope.rotate(head.queries_QxA[None], heads.as_jax(query_position_Q))[0],
        keys_SxA=rope.rotate(head.keys_SxA[None], heads.as_jax(key_position_S))[0],
    )
    difference_QxS = key_position_S[None] - query_position_Q[:, None]
    relative_QxSxAxA = rotations(difference_QxS[..., None] * SPEEDS)
    scores_QxS = jnp.einsum("qa,qsab,sb->qs", head.queries_QxA, relative_QxSxAxA, head.keys_SxA)
    h_QxC = jax.nn.softmax(scores_QxS, axis=-1) @ head.values_SxC
    answers_QxC = kernel_form(rotated, rotated.normalizer, head.demonstrations_S[None], rate)[0]
    return {"rotary_positions": {"kernel": distance(answers_QxC, h_QxC)}}


def grouped_queries(settings: DualForm, case: heads.Heads, concat_HxCxC: jax.Array, rate) -> Measured:
    """Return the errors of one model per group, in each form, against every head computed by itself."""
    each_head = [heads.prompt_of(settings, case, head) for head in range(heads.HEADS)]
    expected_QxC = sum(head.attention @ w_CxC.T for head, w_CxC in zip(each_head, concat_HxCxC, strict=True))

    def by_group(group: heads.Head):
        """Return the answers (Q', C) of one group's model to the queries of all its heads."""
        together = group._replace(values_SxC=dual.with_ones(group.values_SxC))
        model_CxF = descend_explicitly(together, explicit_start(together), group.demonstrations_S[None], 1.0, rate)[-1]
        return {
            "kernel": kernel_ratio(group, rate),
            "features": dual.ratio(group.features_QxF @ model_CxF.T),
        }

    groups = [
        each_head[i : i + heads.HEADS // heads.GROUPS] for i in range(0, heads.HEADS, heads.HEADS // heads.GROUPS)
    ]
    joined = [_joined(members) for members in groups]
    answers = jax.vmap(by_group)(jax.tree.map(lambda *each: jnp.stack(each), *joined))
    largest, measured = jnp.max(jnp.stack([head.largest_kernel for head in each_head])), {}
    for form, answers_GxQxC in answers.items():
        by_head_HxQxC = answers_GxQxC.reshape(heads.HEADS, heads.QUERIES, -1)
        answers_QxC = jnp.einsum("hqd,hcd->qc", by_head_HxQxC, concat_HxCxC)
        measured[form] = distance(answers_QxC, expected_QxC, 1.0 if form == "kernel" else largest)
    return {"grouped_queries": measured}


def _joined(members: list[heads.Head]) -> heads.Head:
    """Return the heads of one group as one head that has the queries of all."""
    queries, features = (jnp.concatenate([head[part] for head in members]) for part in (0, 1))
    return members[0]._replace(queries_QxA=queries, features_QxF=features)


def several_layers(settings: DualForm, x_TxC: jax.Array, layers: Layer, rate) -> Measured:
    """Return the error of several layers of causal attention with residuals, with one dual model per token.

    Args:
        x_TxC: instruction tokens, demonstrations and one query.
    """
    counts = (settings.instructions, settings.examples, 1)
    is_instruction_T, is_demonstration_T, _ = np.repeat(np.eye(3), counts, axis=1)
    seen_TxT, own_TxT = np.tril(np.ones((len(x_TxC),) * 2)), np.eye(len(x_TxC))
    # A token's own key and value do not depend on the demonstrations, so they are a part of its W_0.
    start_TxT = seen_TxT * np.maximum(is_instruction_T[None], own_TxT)
    demonstrations_TxT = seen_TxT * is_demonstration_T[None] * (1 - own_TxT)

    def by_softmax(q, k, v):
        return Softmax()(q, k, v, heads.as_jax(seen_TxT > 0))

    def by_descent(q, k, v):
        def answer(query_A, start_T, demonstrations_T):
            return dual.attend(query_A[None], k, v, start_T, demonstrations_T, rate)[0]

        return jax.vmap(answer)(q, start_TxT, demonstrations_TxT)

    def forward(attend):
        def block(tokens_TxC, layer):
            q, k, v = (tokens_TxC @ w.T for w in (layer.w_q, layer.w_k, layer.w_v))
            return tokens_TxC + attend(q, k, v) @ layer.w_o.T, None

        return jax.lax.scan(block, x_TxC, layers)[0]

    return {"several_layers": {"kernel": distance(forward(by_descent), forward(by_softmax))}}
