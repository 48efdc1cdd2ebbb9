"""Sequences of symbols: their exact floors against brute force, and how they are drawn."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tasks.hmm_mixture import HmmMixture
from tasks.symbols import Markov, inverse_cdf
from tests.compiled import one_episode, sampled

KEY = jax.random.key(0)


def symbols_of(episodes):
    """(B, N + 1)."""
    first = np.argmax(episodes.prompt.context.x[:, :1], axis=-1)
    return np.concatenate([first, np.asarray(episodes.target)], axis=1)


def markov_evidence(symbols, classes, concentration):
    """log p(symbols), the matrix integrated out: a Dirichlet-multinomial for each row."""
    counts = np.zeros((classes, classes))
    for before, after in itertools.pairwise(symbols):
        counts[before, after] += 1
    total = -math.log(classes)
    for row in counts:
        total += math.lgamma(classes * concentration) - math.lgamma(classes * concentration + row.sum())
        total += sum(math.lgamma(concentration + count) - math.lgamma(concentration) for count in row)
    return total


def hidden_paths_evidence(symbols, transitions, emissions):
    """log p(symbols), summed over all models and hidden paths."""
    models, hidden, _ = emissions.shape
    total = 0.0
    for model, path in itertools.product(range(models), itertools.product(range(hidden), repeat=len(symbols))):
        probability = 1 / (models * hidden) * emissions[model, path[0], symbols[0]]
        for t in range(1, len(symbols)):
            probability *= transitions[model, path[t - 1], path[t]] * emissions[model, path[t], symbols[t]]
        total += probability
    return math.log(total)


def evidence_of(task):
    if isinstance(task, Markov):
        return lambda symbols: markov_evidence(symbols, task.num_symbols, float(task.concentration))
    models = [np.asarray(each) for each in task.models]
    return lambda symbols: hidden_paths_evidence(symbols, *models)


TINY = [
    Markov(num_context=5, num_symbols=3, concentration=0.7),
    HmmMixture(num_context=4, num_symbols=3, num_models=2, num_hidden=2),
]


@pytest.mark.slow
@pytest.mark.parametrize("task", TINY, ids=lambda task: task.name)
def test_the_floor_is_that_of_the_evidence(task, float64):
    """p(next | before) = p(before, next) / p(before), at every place. 1e-12: sums of some hundred numbers near 1."""
    episodes = sampled(task, KEY, 4)
    answers = jax.nn.log_softmax(jax.vmap(task.optimal)(episodes.prompt))
    evidence = evidence_of(task)
    for symbols, logits in zip(symbols_of(episodes), np.asarray(answers), strict=True):
        for t in range(task.num_context):
            before = symbols[: t + 1].tolist()
            expected = [evidence([*before, following]) - evidence(before) for following in range(task.num_symbols)]
            np.testing.assert_allclose(logits[t], expected, rtol=0, atol=1e-12)


def test_chains_are_those_of_dirichlet_matrices():
    """Three numbers of each sequence, whose means are those of chains drawn with explicit matrices, within 4 errors:
    whether a transition is seen again, how often a symbol stays, how many symbols there are."""
    task, draws = Markov(num_context=8, num_symbols=3), 20_000
    rng = np.random.default_rng(0)
    matrices = rng.dirichlet(np.full(3, 0.5), size=(draws, 3))
    chains = [rng.integers(0, 3, draws)]
    for _ in range(8):
        rows = matrices[np.arange(draws), chains[-1]].cumsum(axis=1)
        chains.append(np.minimum((rng.random(draws)[:, None] > rows).sum(axis=1), 2))
    ours, theirs = symbols_of(sampled(task, KEY, draws)), np.stack(chains, axis=1)
    for number in (
        lambda s: (s[:, 5] == s[:, 0]) & (s[:, 6] == s[:, 1]),
        lambda s: (s[:, 1:] == s[:, :-1]).mean(axis=1),
        lambda s: np.array([len({*row}) for row in s]),
    ):
        a, b = number(ours), number(theirs)
        assert abs(a.mean() - b.mean()) < 4 * np.hypot(a.std(), b.std()) / np.sqrt(draws)


def test_hidden_markov_models_are_drawn_as_they_say():
    """Frequencies of all sequences of three symbols are those of the sum over hidden paths, by a chi-squared test of 7
    degrees of freedom: 35 is exceeded once in 90,000."""
    task, draws = HmmMixture(num_context=2, num_symbols=2, num_models=2, num_hidden=2), 50_000
    numbers = symbols_of(sampled(task, KEY, draws)) @ [4, 2, 1]
    models = [np.asarray(each, float) for each in task.models]
    expected = np.array([math.exp(hidden_paths_evidence(s, *models)) for s in itertools.product(range(2), repeat=3)])
    seen = np.bincount(numbers, minlength=8)
    assert ((seen - draws * expected) ** 2 / (draws * expected)).sum() < 35


def test_only_what_goes_on_where_the_examples_end_has_an_optimal_answer():
    task = TINY[1]
    optimal = jax.jit(task.optimal)
    prompt = one_episode(task, KEY).prompt
    # of one symbol alone, so that every query goes on where the last visible example ends
    same = jax.tree.map(lambda leaf: jnp.broadcast_to(prompt.query.x[:1], leaf.shape), prompt.replace(visible=None))
    gap = same.replace(visible=prompt.visible.at[3].set(jnp.array([False, True, True, False])))
    np.testing.assert_array_equal(jnp.isnan(optimal(gap)).any(axis=1), [False, False, False, True])
    other = prompt.replace(query=prompt.query.replace(x=jnp.roll(prompt.query.x, 1, axis=-1)))
    np.testing.assert_array_equal(jnp.isnan(optimal(other)).any(axis=1), [False, True, True, True])
    # without `visible` all examples are seen
    last = prompt.query.replace(x=jnp.broadcast_to(prompt.answers[-1:], prompt.answers.shape))
    seen = prompt.replace(query=last, visible=jnp.ones_like(prompt.visible))
    np.testing.assert_array_equal(optimal(seen.replace(visible=None)), optimal(seen))
    assert jnp.isfinite(optimal(seen)).all()


def test_inverse_cdf_by_hand():
    weights = jnp.array([[0.0, 1.0, 1.0]] * 4)
    np.testing.assert_array_equal(inverse_cdf(weights, jnp.array([0.0, 0.49, 0.5, 1.0])), [1, 1, 2, 2])
