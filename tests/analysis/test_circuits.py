"""The circuits and the trace of a Transformer, held against products of its raw weights in float64."""

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics import circuits
from analysis.metrics.answers import losses
from lab.config.choices import Injection
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.interpolation import interpolated
from lab.learners.learner import predict
from lab.learners.linear_transformer import LinearTransformer, Shape
from tasks.catalogue import TASKS
from tests.lab.makers import NAMES, by_hand_of, embedded, episodes_of, one_prompt, prompts_of, shape_of, transformer
from tests.lab.test_interpolation import rescaled

STACKS = [
    {"num_layers": 1},
    {"num_layers": 3},
    {"num_layers": 2, "recurrent": False, "injection": Injection.each},
    {"num_layers": 2, "clip": 0.5},
]


def matrices(model):
    return {name: np.asarray(a)[:, 0] for name, a in vars(jax.jit(circuits.circuits_of)(model)).items() if a.size}


def projected(model, prompt, examples):
    """q_j^T k_i of projected tokens, layer by layer, every layer's tokens updated by the formula with raw weights. What
    scale is free is fixed by c, the mean diagonal of A's part on distinct inputs, and by the norms of the documents'.
    """
    shape = model.shape
    tokens, queries = (
        np.asarray(of)
        for of in (
            shape.layout.context_tokens(prompt),
            shape.layout.query_tokens(prompt, model.initial_model[...]),
        )
    )
    documents = np.zeros((0, shape.document_width or 1))
    if shape.document_width:
        documents = np.asarray(prompt.documents)
        documents = documents.mean(0, keepdims=True) if shape.injection is Injection.pooled else documents
    result, spread, features = [], shape.layout.feature_duplication, shape.layout.feature_dim
    for layer in range(shape.num_layers):
        block = model.blocks[0 if shape.recurrent else layer]
        w_q, w_k, w_v, p, w_dk, w_dv = (
            np.asarray(getattr(block, name)[...])[0] for name in ("w_q", "w_k", "w_v", "p", "w_dk", "w_dv")
        )
        everyone = np.concatenate([queries, tokens])
        q, k = everyone @ w_q.T, tokens @ w_k.T
        on_inputs = spread.T @ (w_q.T @ w_k)[:features, :features] @ spread
        of_tokens = np.einsum("ta,sa->ts", q, k) / (np.trace(on_inputs) / np.trace(spread.T @ spread))
        change = np.einsum("ta,sa,sc->tc", q, k, tokens @ w_v.T @ p.T)
        if shape.document_width:
            of_documents = np.einsum("ta,sa->ts", q, documents @ w_dk.T)
            change += of_documents @ (documents @ w_dv.T @ p.T)
            d = np.sqrt(np.linalg.norm(w_q.T @ w_dk) / np.linalg.norm(p @ w_dv))
            of_tokens = np.concatenate([of_tokens[:, :examples], of_documents / d], axis=1)
        rows = [0, *range(len(queries), len(queries) + examples)]
        result.append(of_tokens[rows][:, : examples + len(documents)])
        everyone = everyone + change
        if shape.clip is not None:
            everyone = np.clip(everyone, -shape.clip, shape.clip)
        queries, tokens = everyone[: len(queries)], everyone[len(queries) :]
    return np.stack(result)


@pytest.mark.parametrize(
    ("name", "options"),
    [(NAMES[(place + more) % 3], stack) for place, stack in enumerate(STACKS) for more in (0, 1)],
    ids=str,
)
def test_scores_are_those_of_projected_tokens_and_readouts_the_transformer_s(name, options, float64):
    task = TASKS[name](input_dim=3, num_context=5, num_queries=2)
    model, prompt = transformer(task, **options), one_prompt(task)
    result = jax.jit(lambda m, e: circuits.layers(m, e, 4))(model, prompt)
    np.testing.assert_allclose(result.scores, projected(model, prompt, 4), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(result.readouts, jax.jit(model.readouts)(prompt), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("at_a_time", [1, 2, 100])
def test_a_batch_in_turns_is_each_of_its_prompts(at_a_time, monkeypatch, float64):
    """Five prompts, so many at a time."""
    task = TASKS["rag_dot"](input_dim=3, num_context=4)
    model, prompts = transformer(task, num_layers=2), prompts_of(task, 5)
    monkeypatch.setattr(circuits, "SCORES", at_a_time * 2 * 4**2)
    result = jax.jit(lambda: circuits.layers_of_each(model, prompts, 3))()
    expected = jax.jit(jax.vmap(lambda prompt: circuits.layers(model, prompt, 3)))(prompts)
    chex.assert_trees_all_close(result, expected, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layers", [1, 3])
def test_what_the_construction_reads_out_are_the_steps_of_gradient_descent(name, layers, float64):
    task = TASKS[name](input_dim=3)
    by_hand, prompt = by_hand_of(task, num_layers=layers), one_prompt(task)
    descent = GradientDescent(by_hand.shape.layout, 0.5, layers)
    output = jax.jit(lambda m, e: circuits.layers(m, e, 2).readouts)(by_hand, prompt)
    np.testing.assert_allclose(output, jax.jit(descent.readouts)(prompt), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_at_no_distance_from_itself_at_another_scale(name, float64):
    task = TASKS[name](input_dim=3)
    options = {"num_layers": 2, "recurrent": False}
    one, other = transformer(task, jax.random.key(1), **options), transformer(task, jax.random.key(2), **options)
    same = rescaled(rescaled(one, 2.0, -3.0), 1.0, 1.0)  # the documents' pair is back at its sign
    rows = circuits.distance_rows(one.shape, matrices(same), matrices(one))
    assert {(row["block"], row["matrix"]) for row in rows} == {(b, m) for b in (1, 2) for m in matrices(one)}
    for row in rows:
        assert max(row[key] for key in ("distance", "distance_folded", "distance_read")) < 1e-12
        assert row["norm_trained"] == pytest.approx(row["norm_constructed"])
    assert all(row["distance"] > 0.1 for row in circuits.distance_rows(one.shape, matrices(other), matrices(one)))


def test_distance_is_relative_to_the_constructed_one():
    """||2 A + E - A|| / ||A|| by hand, and none from a matrix that is zero."""
    shape = shape_of(TASKS["plain"](input_dim=2))
    one = np.diag([3.0, 4.0, 0.0])[None]
    (row,) = circuits.distance_rows(shape, {"qk": 2 * one}, {"qk": one})
    assert (row["norm_trained"], row["norm_constructed"], row["distance"]) == (10, 5, 1)
    (row,) = circuits.distance_rows(shape, {"qk": one}, {"qk": np.zeros_like(one)})
    assert np.isnan(row["distance"])
    assert row["norm_trained"] == 5
    (row,) = circuits.distance_rows(shape, {"qk": np.where(one > 0, np.inf, one)}, {"qk": one})
    assert not np.isfinite([row["distance"], row["distance_folded"]]).any()


def test_copies_that_are_moved_are_no_distance_when_they_are_folded(float64):
    """A's identity on (x, x) spread over all four blocks is the same function, and not the same matrix."""
    task = TASKS["rag_dot"](input_dim=3)
    by_hand, moved = by_hand_of(task), by_hand_of(task)
    moved.blocks[0].w_k[...] = moved.blocks[0].w_k[...].at[0, :6, :6].set(jnp.kron(jnp.ones((2, 2)), jnp.eye(3)) / 2)
    one, other = ({"qk": matrices(model)["qk"]} for model in (moved, by_hand))
    (score,) = circuits.distance_rows(by_hand.shape, one, other)
    assert score["distance"] == pytest.approx(np.sqrt(1 / 2))
    assert score["distance_folded"] < 1e-12


@pytest.mark.parametrize(
    "options", [{"num_layers": 1}, {"num_layers": 2}, {"num_layers": 2, "recurrent": False}], ids=str
)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_to_be_not_read_changes_no_prediction(name, options, float64):
    """And what is said to be read does: each row of A and of B is changed in turn."""
    task = TASKS[name](input_dim=2)
    model, prompt = transformer(task, **options), one_prompt(task)
    answer = jax.jit(lambda m: m(prompt))
    eye = jnp.eye(model.shape.layout.token_dim)[None]
    for block in model.blocks:  # so that W_K is A and W_V is B
        block.w_q[...], block.p[...] = eye, eye
    output = answer(model)
    for number in range(len(model.blocks)):
        for matrix, weight in (("qk", "w_k"), ("ov", "w_v")):
            for row, is_read in enumerate(circuits.rows_read(model.shape, matrix, number + 1)):
                changed = jax.tree.map(lambda leaf: leaf, model)
                of = getattr(changed.blocks[number], weight)
                of[...] = of[...].at[0, row].add(0.5)
                assert bool(np.any(np.abs(answer(changed) - output) > 1e-9)) == bool(is_read), (matrix, number, row)


@pytest.mark.slow
@pytest.mark.parametrize("features", [False, True])
def test_ends_and_middle_of_the_linear_path(features, float64):
    task = TASKS["rag_dot"](input_dim=3)
    episodes = episodes_of(task, 20)
    learner = transformer(task, num_layers=2)
    if features:
        learner = embedded(task, lambda of: LinearTransformer(Shape(of, 2, document_width=3), jax.random.key(3), 1.0))
    one = circuits.transformer_of(learner)
    other = constructed(one.shape, 0.5, task.num_context)
    seen = circuits.as_seen(learner, episodes)
    weights = jnp.asarray(circuits.WEIGHTS)
    result = jax.jit(circuits.linear_path)(one, other, weights, task, seen)
    assert result.shape == (len(circuits.WEIGHTS), 20)

    def loss(model, seen):
        return losses(task, jax.jit(predict)(model, seen.prompt), seen)

    for place, expected in ((0.0, loss(learner, episodes)), (1.0, loss(other, seen))):
        np.testing.assert_allclose(result[list(circuits.WEIGHTS).index(place)], expected, rtol=1e-9)
    np.testing.assert_allclose(
        result[list(circuits.WEIGHTS).index(0.5)], loss(interpolated(one, other), seen), rtol=1e-9
    )


def test_agreement_is_numpys():
    output, other = np.random.default_rng(0).normal(size=(2, 50, 3))
    for layer, result in enumerate(circuits.agreement(output, other)):
        np.testing.assert_allclose(result["correlation"], np.corrcoef(output[:, layer], other[:, layer])[0, 1])
        np.testing.assert_allclose(result["slope"], np.polyfit(other[:, layer], output[:, layer], 1)[0])
    assert np.isnan(circuits.agreement(output, np.zeros_like(other))[0]["slope"])
