"""Random features against NumPy, and the path of demonstrations against closed forms."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.figures import style
from analysis.figures.claim import Outcome
from experiments.duals.softmax_dual import errors, figure, path, replaced
from experiments.duals.softmax_dual.settings import DecoderEpisodes, Errors, Replaced, SoftmaxDual
from lab.attention.kernel import KernelAttention
from lab.features import FEATURE_MAPS, SAMPLERS, draw
from lab.learners.learner import predict
from lab.runs.directory import RunDirectory
from tasks.shifted_classes import ShiftedClasses
from tests.compiled import sampled
from tests.run_files import table
from tests.small_decoders import prompt_of, small_decoder, without_examples
from trainers.streams import Stream, key_of

pytestmark = pytest.mark.slow  # whole experiments

INSTRUCTIONS, DEMONSTRATIONS, WIDTH, OUT = 4, 5, 3, 2


@pytest.fixture
def problem(float64):
    drawn = path.problems(jax.random.key(0), 2, INSTRUCTIONS + DEMONSTRATIONS, WIDTH, OUT)
    return jax.tree.map(lambda array: np.asarray(array[1]), drawn)


def by_closed_form(products_S, problem, form):
    """Outputs after 0, 1, .. demonstrations, as partial sums. products_S: of the query's features with each key's."""
    kernel_S = np.exp(problem.keys_SxA @ problem.query_A)
    shown = range(INSTRUCTIONS, INSTRUCTIONS + DEMONSTRATIONS + 1)
    sums = np.array([products_S[:n] @ problem.values_SxC[:n] for n in shown])
    if form == "fixed":
        return sums / kernel_S.sum()
    return sums / np.array([products_S[:n].sum() for n in shown])[:, None]


@pytest.mark.parametrize("name", [None, *FEATURE_MAPS])
def test_a_path_is_made_of_partial_sums(name, problem):
    """In coefficients and by automatic differentiation; the kernel form ends at softmax attention."""
    features = name and draw(name, "iid", jax.random.key(1), 6, WIDTH)
    outputs = jax.jit(path.outputs, static_argnums=1)(problem, INSTRUCTIONS, features)
    kernel_S = np.exp(problem.keys_SxA @ problem.query_A)
    products_S = np.asarray(features(problem.keys_SxA) @ features(problem.query_A)) if name else kernel_S
    for form in ("fixed", "ratio"):
        np.testing.assert_allclose(outputs[form], by_closed_form(products_S, problem, form), rtol=1e-11)
        if name is None:
            attention_C = kernel_S @ problem.values_SxC / kernel_S.sum()
            np.testing.assert_allclose(outputs[form][-1], attention_C, rtol=0, atol=1e-14)
            assert np.abs(outputs[form][-2] - attention_C).max() > 1e-3


def test_an_error_is_that_of_the_estimated_output(float64):
    settings = SoftmaxDual(seeds=2, errors=Errors(problems=3, tokens=6, width=4))
    problems = errors.problems(settings)
    features = draw("trigonometric", "orthogonal", jax.random.key(2), 10, 4, 2)
    measured = errors.errors(KernelAttention(features), problems, np.array([0.5, 3.0]))
    relative, negative = (np.asarray(each) for each in measured)
    assert relative.shape == negative.shape == (2, 2, 3)
    assert len({*relative.ravel()}) == relative.size
    for i, seed, j in itertools.product(range(2), range(2), range(3)):
        query, keys, values = (np.asarray(array[seed, j]) for array in problems)
        np.testing.assert_allclose([*np.linalg.norm(keys, axis=1), np.linalg.norm(query)], 1.0)
        query, keys = (0.5, 3.0)[i] * query[0], (0.5, 3.0)[i] * keys
        exact = np.exp(keys @ query)
        waves = np.cos((keys - query) @ np.asarray(features.frequencies_MxA[seed]).T).mean(axis=1)
        estimated = np.exp(np.sum(keys**2, axis=1) / 2 + query @ query / 2) * waves
        outputs = [kernel @ values / kernel.sum() for kernel in (exact, estimated)]
        expected = np.linalg.norm(outputs[1] - outputs[0]) / np.linalg.norm(outputs[0])
        assert relative[i, seed, j] == pytest.approx(expected, rel=1e-9)
        assert negative[i, seed, j] == (estimated.sum() <= 0)
    assert 0 < negative.mean() < 1


def test_a_decoder_with_many_features_is_the_one_with_exact_attention(float64, optimized):
    """The mean squared error is that of a mean over so many frequencies, as queries and keys are made short."""
    task = ShiftedClasses(num_context=4, num_queries=3)
    decoder, episodes = small_decoder(task), sampled(task, jax.random.key(5), 4)
    for block in decoder.blocks:
        block.w_q[...], block.w_k[...] = 0.3 * block.w_q[...], 0.3 * block.w_k[...]
    many = replaced.replaced(decoder, "positive", "orthogonal", 4, jax.random.key(6))
    leaves = [np.asarray(block.attention.features.frequencies_MxA) for block in many.blocks]
    assert [leaf.shape for leaf in leaves] == [(2, 4, 4)] * 2
    assert len({*np.concatenate(leaves).ravel()}) == 2 * 2 * 4 * 4, "each head of each block has frequencies of its own"
    logits = jax.jit(predict)
    exact = logits(decoder, episodes.prompt)

    def error(count):
        keys = jax.random.split(jax.random.key(7), 4)
        decoders = [replaced.replaced(decoder, "hyperbolic", "iid", count, key) for key in keys]
        return np.mean([(logits(each, episodes.prompt) - exact) ** 2 for each in decoders])

    assert 0.3 < 16 * error(1024) / error(64) < 3.0


def test_accuracies_with_and_without_examples_are_those_of_the_decoder():
    """The decoder is asked by hand, one episode at a time; the two numbers differ."""
    task = ShiftedClasses(num_context=4, num_queries=50)
    decoder, settings = small_decoder(task), SoftmaxDual(replaced=Replaced([2]), eval=DecoderEpisodes(4))
    row = replaced.measure(settings, {3: decoder}, task)[0]
    episodes = sampled(task.of_seed(3), key_of(3, Stream.test), 4)
    right = {"exact": [], "zero_shot": []}
    for b in range(4):
        prompt = prompt_of(episodes, b)
        prompts = {"exact": prompt, "zero_shot": without_examples(prompt)}
        for name, each in prompts.items():
            right[name].append(np.mean(np.argmax(decoder(each), axis=1) == np.asarray(episodes.target[b])))
    assert {name: row[name] for name in right} == {name: pytest.approx(np.mean(each)) for name, each in right.items()}
    assert row["exact"] != row["zero_shot"]


def test_what_is_no_number_is_no_class():
    task = ShiftedClasses(num_context=4, num_queries=3)
    decoder, episodes = small_decoder(task), sampled(task, jax.random.key(5), 4)
    assert {*np.unique(replaced.classes(decoder, episodes))} <= {*range(task.num_classes)}
    decoder.w_answer[...] = decoder.w_answer[...].at[1].set(jnp.nan)
    assert {*np.unique(replaced.classes(decoder, episodes))} == {-1}


def test_a_run_writes_its_tables_and_is_drawn(tiny):
    place, summary = tiny.directory, tiny.summary
    assert "eq. 26 lacks" in " ".join(summary["notes"])
    assert summary["numbers"]["end"] < 1e-12
    assert 0 < summary["numbers"]["rises"] < 1
    maps = {*itertools.product(FEATURE_MAPS, SAMPLERS)}
    result = table(place, "errors")
    assert {(row["map"], row["frequencies"]) for row in result} == maps
    assert all(0 < float(row["low"]) <= float(row["median"]) <= float(row["high"]) < 1 for row in result)
    assert len({row["median"] for row in result}) == len(result) == 4 * len(maps), "frequencies of its own each"
    assert len(table(place, "path")) == 16 * len(table(place, "path_ends")) == 16 * 4 * (1 + len(FEATURE_MAPS))
    assert len(table(place, "single_paths")) == 3 * 2 * 16
    assert {float(row["oracle"]) > 0 for row in table(place, "variances")} == {True}
    result = table(place, "replaced")
    assert {(row["map"], row["frequencies"]) for row in result} == maps
    assert {float(row[key]) * 16 % 1 for row in result for key in ("accuracy", "exact", "agreement")} == {0.0}
    outcomes = [claim["outcome"] for claim in summary["claims"]]
    assert {*outcomes[:3]} == {Outcome.HOLDS}
    assert outcomes[-2:] == [Outcome.NOT_REACHED] * 2, "decoders of four steps learn nothing"
    with style.paper(), style.closed():
        axes = figure.draw(RunDirectory(place)).axes
        assert [panel.get_title() for panel in axes] == ["r = 0.5", "fixed c", "ratio form", "trained decoders"]
        kernel = next(line for line in axes[1].lines if line.get_color() == "#000000")
        assert (kernel.get_ydata()[0], len(kernel.get_ydata())) == (1.0, 16)
        assert kernel.get_ydata()[-1] < 1e-20
