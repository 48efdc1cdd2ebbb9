"""The dual model in a Transformer: rotary positions, grouped queries, several layers [LRGD eqs. 24-27].

A feature map can turn its argument first, so rotary positions are a part of phi. Heads of one group have one model W of
their keys and values in ratio form; each asks it its own query. Several layers are exact if every token of every layer
has a dual model of its own.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from experiments.dual_form.forms import descend_explicitly, explicit_start, kernel_form, kernel_ratio
from experiments.dual_form.heads import GROUPS, HEADS, KEY_WIDTH, QUERIES, Head, Heads, drawn, heads, prompt_of
from experiments.dual_form.rows import Measured, Statement, distance, quick_jit
from experiments.dual_form.settings import DualForm
from lab import dual
from lab.attention.positions.rope import Rope
from lab.attention.softmax import Softmax

LAYERS = 2
SPEEDS = 10_000.0 ** (-2 * np.arange(KEY_WIDTH // 2) / KEY_WIDTH)  # of the planes of rotary positions

TOPIC = "whole Transformers"
STATEMENTS = {
    "rotary_positions": Statement(
        "With keys and queries turned by their positions inside phi, the scores depend on the difference of positions."
    ),
    "rotary_norms": Statement("Rotary positions keep the norms, and so what the errors of feature maps depend on."),
    "grouped_queries": Statement(
        "Heads of one group have one model W in ratio form, and differ in their queries.", "LRGD, eqs. 26-27"
    ),
    "several_layers": Statement(
        "Several layers are exact if every token of every layer has a dual model of its own.", "LRGD, eqs. 24-25"
    ),
}


class Layer(NamedTuple):
    """Layers L in front: queries and keys by A x C, values and output by C x C matrices."""

    w_q: jax.Array
    w_k: jax.Array
    w_v: jax.Array
    w_o: jax.Array


def measure(settings: DualForm) -> Measured:
    """The distances of the two sides of each identity, for every case."""
    width, tokens = settings.input_dim, settings.instructions + settings.examples + 1
    sizes = [(HEADS, width, width), (tokens, width), *[(LAYERS, KEY_WIDTH, width)] * 2, *[(LAYERS, width, width)] * 2]
    concat, x, *matrices = drawn(settings, 3, *sizes)
    layers = Layer(*(width**-0.5 * each for each in matrices))

    @quick_jit
    def all_cases(cases, concat, x, layers, rate):
        def case(each, concat_HxCxC, x_TxC, its_layers):
            rotary = rotary_positions(prompt_of(settings, each), rate)
            grouped = grouped_queries(settings, each, concat_HxCxC, rate)
            return rotary | grouped | several_layers(settings, x_TxC, its_layers, rate)

        return jax.vmap(case)(cases, concat, x, layers)

    return all_cases(heads(settings), width**-0.5 * concat, x, layers, settings.rate)


def rotations(angles: np.ndarray) -> np.ndarray:
    """The rotation matrices (..., A, A) of the angles (..., A / 2)."""
    cos, sin = (function(angles)[..., None] * np.eye(KEY_WIDTH // 2) for function in (np.cos, np.sin))
    return np.concatenate([np.concatenate([cos, -sin], axis=-1), np.concatenate([sin, cos], axis=-1)], axis=-2)


def rotary_positions(head: Head, rate) -> Measured:
    """Turned queries and keys, against scores q . R_{n - m} k of the key's position n and the query's m."""
    of_keys_S = np.arange(len(head.keys_SxA))
    of_queries_Q = len(of_keys_S) + np.arange(QUERIES)
    rope = Rope(0, KEY_WIDTH, jax.random.key(0))
    inside = head._replace(
        queries_QxA=rope.rotate(head.queries_QxA[None], of_queries_Q)[0],
        keys_SxA=rope.rotate(head.keys_SxA[None], of_keys_S)[0],
    )
    apart_QxS = of_keys_S[None] - of_queries_Q[:, None]
    relative_QxSxAxA = rotations(apart_QxS[..., None] * SPEEDS)
    scores_QxS = jnp.einsum("qa,qsab,sb->qs", head.queries_QxA, relative_QxSxAxA, head.keys_SxA)
    h_QxC = jax.nn.softmax(scores_QxS, axis=-1) @ head.values_SxC
    answers_QxC = kernel_form(inside, inside.normalizer, head.demonstrations_S[None], rate)[0]
    norms = (jnp.linalg.norm(each.keys_SxA, axis=-1) for each in (inside, head))
    return {
        "rotary_positions": {"kernel": distance(answers_QxC, h_QxC)},
        "rotary_norms": {"kernel": distance(*norms)},
    }


def grouped_queries(settings: DualForm, case: Heads, concat_HxCxC: jax.Array, rate) -> Measured:
    """Every head by itself, against one model per group in each form."""
    each_head = [prompt_of(settings, case, head) for head in range(HEADS)]
    expected_QxC = sum(head.attention @ w_CxC.T for head, w_CxC in zip(each_head, concat_HxCxC, strict=True))

    def by_group(group: Head):
        """The answers of one group's model to the queries of its heads, one after the other, (Q', C)."""
        together = group._replace(values_SxC=dual.with_ones(group.values_SxC))
        model_CxF = descend_explicitly(together, explicit_start(together), group.demonstrations_S[None], 1.0, rate)[-1]
        return {
            "kernel": kernel_ratio(group, rate),
            "features": dual.ratio(group.features_QxF @ model_CxF.T),
        }

    groups = [each_head[i : i + HEADS // GROUPS] for i in range(0, HEADS, HEADS // GROUPS)]
    joined = [_joined(members) for members in groups]
    answers = jax.vmap(by_group)(jax.tree.map(lambda *each: jnp.stack(each), *joined))
    largest, measured = jnp.max(jnp.stack([head.largest_kernel for head in each_head])), {}
    for form, answers_GxQxC in answers.items():
        by_head_HxQxC = answers_GxQxC.reshape(HEADS, QUERIES, -1)
        answers_QxC = jnp.einsum("hqd,hcd->qc", by_head_HxQxC, concat_HxCxC)
        measured[form] = distance(answers_QxC, expected_QxC, 1.0 if form == "kernel" else largest)
    return {"grouped_queries": measured}


def _joined(members: list[Head]) -> Head:
    """Heads of one group as one head that has the queries of all."""
    queries, features = (jnp.concatenate([head[part] for head in members]) for part in (0, 1))
    return members[0]._replace(queries_QxA=queries, features_QxF=features)


def several_layers(settings: DualForm, x_TxC: jax.Array, layers: Layer, rate) -> Measured:
    """Causal attention with a residual, instructions, demonstrations and one query: one dual model per token."""
    counts = (settings.instructions, settings.examples, 1)
    is_instruction_T, is_demonstration_T, _ = np.repeat(np.eye(3), counts, axis=1)
    seen_TxT, own_TxT = np.tril(np.ones((len(x_TxC),) * 2)), np.eye(len(x_TxC))
    # A token's own key and value are there without demonstrations, so they are a part of its W_0.
    start_TxT = seen_TxT * np.maximum(is_instruction_T[None], own_TxT)
    demonstrations_TxT = seen_TxT * is_demonstration_T[None] * (1 - own_TxT)

    def by_softmax(q, k, v):
        return Softmax()(q, k, v, seen_TxT > 0)

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
