"""Properties of every task in the catalogue."""

import dataclasses

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.theory import has_oracle
from tasks.catalogue import SYNTHETIC, TASKS
from tasks.flat_random import normal, uniform
from tasks.plain import Plain
from tasks.rag_dot import retrieved_model
from tasks.shift import Shift, Shifted
from tasks.task import DERIVED, Task
from tests.compiled import one_episode, sampled

KEY = jax.random.key(0)
NAMES = sorted(SYNTHETIC)
IN_CLOSED_FORM = [name for name in NAMES if has_oracle(TASKS[name]())]  # linear and without noise


def width(task):
    return sum(width for _, width in task.features)


def features(task, inputs):
    return jnp.concatenate([getattr(inputs, name) for name, _ in task.features], axis=-1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("outputs", "queries"), [(1, 1), (3, 2)])
def test_shapes(name, outputs, queries):
    task = TASKS[name](num_context=4, input_dim=3, output_dim=outputs, num_queries=queries)
    assert (task.num_context, task.answer_dim) == (4, outputs)
    episodes = sampled(task, KEY, 5)
    prompts = episodes.prompt
    assert features(task, prompts.context).shape == (5, 4, width(task))
    assert features(task, prompts.query).shape == (5, queries, width(task))
    assert prompts.answers.shape == (5, 4, outputs)
    assert episodes.target.shape == (5, queries, outputs)
    assert episodes.batch_size == 5
    losses = jax.vmap(task.loss)(episodes.target + 2.0, episodes.target)
    np.testing.assert_allclose(losses, np.full((5, queries), 2.0 * outputs), rtol=1e-5)
    if task.document_width:
        assert prompts.documents.shape == (5, task.num_documents, task.document_width)
    else:
        assert prompts.documents is None


@pytest.mark.parametrize("name", NAMES)
def test_same_key_same_episodes(name):
    task = TASKS[name]()
    chex.assert_trees_all_equal(sampled(task, KEY, 3), sampled(task, KEY, 3))
    assert not np.array_equal(sampled(task, KEY, 3).target, sampled(task, jax.random.key(1), 3).target)


@pytest.mark.parametrize("name", IN_CLOSED_FORM)
def test_targets_are_linear_in_the_features(name, float64):
    """A context longer than its features are wide determines the teacher, which then gives the query's target."""
    task = TASKS[name](num_context=40, output_dim=2)
    episodes = sampled(task, KEY, 8)
    for b in range(8):
        episode = jax.tree.map(lambda a, b=b: a[b], episodes)
        teacher = np.linalg.lstsq(features(task, episode.prompt.context), episode.prompt.answers, rcond=None)[0]
        np.testing.assert_allclose(features(task, episode.prompt.query) @ teacher, episode.target, atol=1e-10)


def standard_error(samples, axis=0):
    return np.std(samples, axis=axis, ddof=1) / np.sqrt(np.shape(samples)[axis])


@pytest.mark.parametrize("name", IN_CLOSED_FORM)
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_moments_of_the_features(name, scale):
    """Within 5 standard errors, of which 30 comparisons exceed one with probability 2e-5."""
    task = TASKS[name](scale=scale, num_context=1)
    moments = task.moments()
    f = np.asarray(features(task, sampled(task, KEY, 20_000).prompt.query)[:, 0], np.float64)
    f = f[:, : width(task) // moments.copies]
    for power, expected in ((2, moments.variance), (4, moments.fourth)):
        np.testing.assert_array_less(np.abs((f**power).mean(0) - expected), 5 * standard_error(f**power))


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("outputs", [1, 2])
def test_teacher_moment_of_rag_dot(shared, outputs):
    task = TASKS["rag_dot"](input_dim=4, num_documents=3, output_dim=outputs, sigma=0.7, shared=shared)
    key_documents, key_retriever = jax.random.split(KEY)
    documents = 0.5 * uniform(key_documents, (200_000, 3, 4))[0]
    retrieved = retrieved_model(documents, *task.retriever(key_retriever, 200_000))
    squares = np.mean(np.asarray(retrieved, np.float64) ** 2, axis=(1, 2))
    assert abs(squares.mean() - (task.moments().teacher - 1)) < 5 * standard_error(squares)


def test_retrieved_model_is_the_formula(float64):
    task = TASKS["rag_dot"](input_dim=3, output_dim=2)
    (documents,) = uniform(KEY, (1, 5, 3))
    w_z, m = task.retriever(KEY, 1)
    c = sum(np.outer(d, d) for d in documents[0])
    np.testing.assert_allclose(retrieved_model(documents, w_z, m)[0], w_z[0] @ c @ m[0].T, atol=1e-14)


def test_shared_retriever_is_one_for_all_episodes():
    task = TASKS["rag_dot"](shared=True, sigma=1.0)
    w_z, m = task.retriever(KEY, 4)
    chex.assert_trees_all_equal((w_z, m), task.retriever(jax.random.key(5), 4))
    assert np.array_equal(w_z[0], w_z[3])
    assert not np.array_equal(w_z, dataclasses.replace(task, shared_seed=1).retriever(KEY, 4)[0])
    fresh = dataclasses.replace(task, shared=False)
    assert not np.array_equal(fresh.retriever(KEY, 4)[0][0], fresh.retriever(KEY, 4)[0][1])


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_a_task_are_traced(name):
    """Another alpha is not another program, and vmap sweeps it."""
    traced = chex.assert_max_traces(n=1)(lambda task: task.sample(KEY, 2).prompt.query.x)
    sample = jax.jit(traced)
    task = TASKS[name]()
    one, half = sample(task), sample(dataclasses.replace(task, scale=0.5))
    np.testing.assert_allclose(0.5 * one, half, rtol=1e-6)
    sweep = jax.vmap(lambda alpha: dataclasses.replace(task, scale=alpha).sample(KEY, 2).prompt.query.x)(
        jnp.array([1.0, 0.5])
    )
    np.testing.assert_allclose(sweep, jnp.stack([one, half]), rtol=1e-6)


def test_draws_have_their_distribution():
    """Moments within 5 standard errors; arrays of one draw are cut from it in turn, none overlapping."""
    flat, square = uniform(KEY, (60_000,), (100, 100))
    whole = uniform(KEY, (70_000,))[0]
    assert np.array_equal(jnp.concatenate([flat, square.ravel()]), whole)
    assert flat.min() >= -1
    assert flat.max() <= 1
    assert abs(float(np.mean(flat**2)) - 1 / 3) < 5 * standard_error(np.asarray(flat) ** 2)
    (gaussian,) = normal(KEY, (60_000,))
    assert abs(float(np.mean(gaussian))) < 5 / np.sqrt(60_000)
    assert abs(float(np.var(gaussian)) - 1) < 5 * np.sqrt(2 / 60_000)


KNOWN_OPTIMUM = [("plain", {}), ("rag_linear", {"num_documents": 2}), ("rag_dot", {"shared": True, "sigma": 0.8})]


def gaussian_posterior_mean(f, y, f_query):
    """The mean of W f_q given W F^T = Y^T for independent N(0, 1) entries, by conditioning the joint Gaussian of the
    context's targets and of the query's in the space of examples."""
    return f_query @ f.T @ np.linalg.pinv(f @ f.T, rcond=1e-11) @ y


@pytest.mark.parametrize(("name", "options"), KNOWN_OPTIMUM)
@pytest.mark.parametrize("examples", [2, 3, 20])
def test_the_optimum_is_the_posterior_mean(name, options, examples, float64):
    """Also where each query sees examples of its own, held against a prompt that has no others."""
    task = TASKS[name](num_context=examples, input_dim=3, output_dim=2, num_queries=2, **options)
    prompt = one_episode(task, KEY).prompt
    visible = np.arange(examples)[None] < np.array([1, examples - 1])[:, None]
    known = retrieved_model(prompt.documents, *task.shared_retriever()) if options.get("shared") else np.zeros((2, 3))
    f, f_query = (features(task, inputs) for inputs in (prompt.context, prompt.query))
    f, f_query = (each[:, :3] if name == "rag_dot" else each for each in (np.asarray(f), np.asarray(f_query)))
    prior, prior_query = (np.asarray(inputs.x) @ np.asarray(known).T for inputs in (prompt.context, prompt.query))
    rest = np.asarray(prompt.answers) - prior
    expected = prior_query + gaussian_posterior_mean(f, rest, f_query)
    np.testing.assert_allclose(jax.jit(task.optimal)(prompt), expected, rtol=1e-6, atol=1e-8)
    by_query = [
        prior_query[q] + gaussian_posterior_mean(f[seen], rest[seen], f_query[q]) for q, seen in enumerate(visible)
    ]
    result = jax.jit(task.optimal)(prompt.replace(visible=jnp.asarray(visible)))
    np.testing.assert_allclose(result, by_query, rtol=1e-6, atol=1e-8)


def test_the_loss_of_the_optimum_is_what_the_context_leaves_open():
    """Of d directions N examples show N; the rest has mean squared length (d - N) / 3 for x ~ U(-1, 1). Within 4
    standard errors."""
    task = TASKS["plain"](num_context=4, input_dim=10)
    episodes = sampled(task, KEY, 20_000)
    answers = jax.jit(jax.vmap(task.optimal))(episodes.prompt)
    losses = jax.vmap(task.loss)(answers, episodes.target)[:, 0]
    assert abs(np.mean(losses) - 0.5 * 6 / 3) < 4 * standard_error(losses)


def test_no_optimum_is_claimed_where_none_is_known():
    """A fresh retriever for each episode; noise under a shift."""
    for task in (TASKS["rag_dot"](), Shifted(TASKS["plain"](), Shift.of(TASKS["plain"](), noise=1.0))):
        with pytest.raises(NotImplementedError):
            task.optimal(one_episode(task, KEY).prompt)


def test_a_task_that_changes_its_episodes_or_loss_inherits_no_closed_form():
    class Doubled(Plain):
        def teacher(self, key, batch, documents):
            teacher = super().teacher(key, batch, documents)
            return lambda inputs: 2 * teacher(inputs)

    class Wide(Doubled):
        def inputs(self, key, batch):
            return super().inputs(key, batch)

        def optimal(self, prompt):
            return Plain.optimal(self, prompt)

    class Absolute(Plain):
        def loss(self, answer_QxA, target):
            return abs(answer_QxA - target).sum(axis=-1)

    class Named(Plain):
        pass

    unknown = {cls: [name for name in DERIVED if getattr(cls, name) is getattr(Task, name)] for cls in
               (Doubled, Wide, Absolute, Named, TASKS["skewed"])}  # fmt: skip
    assert [*unknown.values()] == [["optimal", "moments"], ["moments"], ["optimal"], [], []]
