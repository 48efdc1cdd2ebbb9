"""Ranks along the path of dual models, against models that are written out in NumPy, and rows of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.demonstrations.demonstration_choice.measure import ranks_along, steps_to_first
from experiments.demonstrations.demonstration_choice.rows import path_rows, reached_rows
from lab.config.choices import Position
from lab.layouts.sequence import Interleaved, Merged
from lab.learners.decoder import Decoder
from tasks.shifted_classes import ShiftedClasses
from tests.compiled import called, sampled
from tests.small_decoders import prompt_of, small_decoder

EXAMPLES, QUERIES = 3, 20


@pytest.fixture(params=[(Merged, 2, "none"), (Interleaved, 2, "rope"), (Merged, 1, "alibi")], ids=str)
def asked(request, float64):
    """A decoder, a prompt, and the right classes."""
    layout, layers, positions = request.param
    task = ShiftedClasses(num_context=EXAMPLES, num_queries=QUERIES)
    shape = {"num_layers": layers, "num_groups": 1, "positions": Position(positions)}
    episodes = sampled(task, jax.random.key(0), 1)
    return small_decoder(task, layout=layout, scale=2.0, **shape), prompt_of(episodes), episodes.target[0]


def rank(answers_QxC, label_Q):
    right_Q = answers_QxC[np.arange(len(label_Q)), label_Q]
    return np.sum(answers_QxC >= right_Q[:, None], axis=1)


@pytest.mark.slow
def test_after_all_demonstrations_the_answer_is_the_decoders(asked):
    model, prompt, label_Q = asked
    ranks_NxQ = called(ranks_along, model, prompt, label_Q)
    assert ranks_NxQ.shape == (EXAMPLES + 1, QUERIES)
    np.testing.assert_array_equal(
        ranks_NxQ[-1], rank(np.asarray(called(Decoder.__call__, model, prompt)), np.asarray(label_Q))
    )
    assert np.any(np.diff(np.asarray(ranks_NxQ), axis=0))


def test_on_the_way_they_are_those_of_the_dual_models(asked):
    """W_0 + c sum v phi(k)^T in kernel form, one query and one head at a time, with c of the whole prompt."""
    model, prompt, label_Q = asked
    block, shape = model.layers()[-1], model.shape

    def last_layer(prompt):
        x, seen, _ = model.tokens(prompt)
        if shape.num_layers > 1:
            x = model.forward(x, seen)["outputs"][-2]
        return x, seen.bias, *block.projected(block.attention_norm(x), seen, model.positions)

    x, biases, q, k, v = jax.tree.map(np.asarray, called(last_layer, prompt))
    answered = jax.jit(lambda after: model.norm(after + block.mlp(after)) @ model.w_answer[...].T)
    w_o = np.asarray(block.w_o[...])
    expected, per = np.zeros((EXAMPLES + 1, QUERIES)), shape.layout.PER_EXAMPLE
    for number in range(EXAMPLES + 1):
        attended = np.zeros((QUERIES, shape.width))
        for query in range(QUERIES):
            t = len(x) - QUERIES + query
            start = [*range(shape.instructions), t]
            learned = [shape.instructions + i for i in range(per * number)]
            whole = [*start, *range(shape.instructions, shape.instructions + per * EXAMPLES)]
            for head in range(shape.num_heads):
                bias = np.zeros(len(x)) if biases is None else biases[head, t]
                kernel = np.exp(k[0] @ q[head, t] + bias)
                out = sum(kernel[s] * v[0, s] for s in start + learned) / sum(kernel[s] for s in whole)
                attended[query] += w_o[head] @ out
        expected[number] = rank(np.asarray(answered(x[-QUERIES:] + attended)), np.asarray(label_Q))
    np.testing.assert_array_equal(called(ranks_along, model, prompt, label_Q), expected)


def test_the_first_time_counts():
    ranks_NxQ = jnp.array([[1.0, 3.0, 2.0, 2.0], [2.0, 1.0, 2.0, 1.5], [1.0, 1.0, 2.0, 1.0]])
    np.testing.assert_array_equal(steps_to_first(ranks_NxQ), [0, 1, 3, 2])


def test_sets_are_halved_by_their_effect_on_validation_queries():
    """Of five sets the middle one counts for neither half."""
    random = np.random.default_rng(0)
    effect = np.stack([random.permutation(5) for _ in range(4)])[..., None] * np.ones(8)
    measured = {"effect": effect, "rank": random.random((4, 5, 3)), "steps": random.random((4, 5))}
    rows = {(row["half"], row["demonstrations"]): row["rank"] for row in path_rows(measured, [2, 6])}
    reached = {row["half"]: row["steps"] for row in reached_rows(measured, [2, 6])}
    for half, places in (("better", (4, 3)), ("worse", (0, 1))):
        chosen = [(b, m) for b in range(4) for m in range(5) if effect[b, m, 0] in places]
        for number in range(3):
            assert rows[half, number] == pytest.approx(np.mean([measured["rank"][b, m, number] for b, m in chosen]))
        assert reached[half] == pytest.approx(np.mean([measured["steps"][b, m] for b, m in chosen]))
    assert reached["better - worse"] == pytest.approx(reached["better"] - reached["worse"])
