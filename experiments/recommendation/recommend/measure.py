"""Measures how well a recommender ranks what each test user took, among sampled candidates and in the catalogue.

Every error of its rows is over users, and every difference is paired.
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.ranking import chance, difference
from experiments.recommendation.recommend import results
from experiments.recommendation.recommend.splits import Parts
from lab.learners.learner import Learner, predict
from tasks import ranking
from tasks.item_sequences import Logged

Measured = dict[str, dict[str, np.ndarray]]  # {candidates: {measure: (users,)}}


def scores(learner: Learner, parts: Parts, count: int, chunk: int) -> np.ndarray:
    """(B, C): what the learner says of all items, from what a user took before."""
    task = Logged(jnp.asarray(parts.test), count)
    blocks = [
        jax.device_get(_scores(learner, task, parts.test[start : start + chunk], parts.place[start : start + chunk]))
        for start in range(0, len(parts.test), chunk)
    ]
    return np.concatenate(blocks)


@jax.jit
def _scores(learner: Learner, task: Logged, items_BxT: jax.Array, place_B: jax.Array) -> jax.Array:
    answers_BxNxC = predict(learner, task.episodes(items_BxT).prompt)
    return jnp.take_along_axis(answers_BxNxC, place_B[:, None, None] - 1, axis=1)[:, 0]


def candidates(key: jax.Array, target_B: np.ndarray, count: int, negatives: int) -> np.ndarray:
    """(B, 1 + negatives) items: the target, and different others, any of them alike."""
    return np.asarray(_candidates(key, jnp.asarray(target_B), count, negatives))


@functools.partial(jax.jit, static_argnames=("count", "negatives"))
def _candidates(key: jax.Array, target_B: jax.Array, count: int, negatives: int) -> jax.Array:
    order_BxC = jax.random.uniform(key, (len(target_B), count))
    order_BxC = jnp.where(jnp.arange(count)[None] == target_B[:, None], -1.0, order_BxC)  # never drawn
    return jnp.concatenate([target_B[:, None], jax.lax.top_k(order_BxC, negatives)[1]], axis=1)


def measure(scores_BxC: np.ndarray, target_B: np.ndarray, candidates_BxS: np.ndarray) -> Measured:
    """All of `ranking.METRICS` of each user."""
    first_B = np.zeros(len(target_B), int)
    shown_BxS = np.take_along_axis(scores_BxC, candidates_BxS, axis=1)
    return {results.SAMPLED: metrics_of(shown_BxS, first_B), results.ALL: metrics_of(scores_BxC, target_B)}


def metrics_of(scores_BxS: np.ndarray, index_B: np.ndarray) -> dict[str, np.ndarray]:
    """All of `ranking.METRICS` (B,), where index_B is the place of the right candidate among its scores."""
    return jax.device_get(ranking.metrics(jnp.asarray(scores_BxS), jnp.asarray(index_B)))


def learner_rows(measured: dict[str, Measured], count: int, negatives: int) -> list[dict]:
    """Return one row per kind of candidates and recommender, and what a random order would have."""
    rows = []
    for candidates, size in ((results.SAMPLED, 1 + negatives), (results.ALL, count)):
        place = {results.CANDIDATES: candidates}
        rows.append(place | {results.LEARNER: results.CHANCE, results.USERS: 0} | _exact(chance(size)))
        for name, each in measured.items():
            if (values := each.get(candidates)) is None:
                continue
            row = place | {results.LEARNER: name, results.USERS: len(values[results.ndcg.name])}
            row |= {k: v for metric in ranking.METRICS for k, v in mean_over_episodes(metric, values[metric]).items()}
            if results.EXAMPLES in values:
                row[results.EXAMPLES] = float(np.mean(values[results.EXAMPLES]))
            rows.append(row)
    return rows


def _exact(values: dict[str, float]) -> dict[str, float]:
    return {key: v for name, value in values.items() for key, v in ((name, value), (f"{name}.stderr", 0.0))}


def difference_rows(measured: dict[str, Measured]) -> list[dict]:
    """Return one row per kind of candidates and pair of recommenders."""
    return [
        {results.CANDIDATES: candidates, results.LEARNER: a, results.OTHER: b}
        | difference(
            results.DIFFERENCE, measured[a][candidates][results.ndcg.name], measured[b][candidates][results.ndcg.name]
        )
        for candidates in (results.SAMPLED, results.ALL)
        for a, b in itertools.combinations([name for name, each in measured.items() if candidates in each], 2)
    ]
