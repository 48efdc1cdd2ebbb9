"""Distances of a decoder's answers from the Bayes-optimal ones, for its pool of functions and for all functions."""

from collections.abc import Mapping

import jax
import numpy as np

from analysis.metrics.alignment import mean_and_error
from experiments.functions.task_diversity.results import DMMSE, RIDGE
from experiments.functions.task_diversity.settings import TaskDiversity
from lab.learners.given import Optimal
from lab.learners.learner import Learner
from tasks.episode import Episode
from tasks.pool import Pool
from trainers.decoders import evaluation
from trainers.decoders.prefixes import answers, episodes_of, errors
from trainers.decoders.prefixes import distances as from_exact
from trainers.population import Member
from trainers.session import Session

PLACES = ("pool", "fresh")  # episodes have functions of the pool, or new ones

Exact = dict[str, tuple[Episode, dict[str, jax.Array]]]  # {place: (episodes, {DMMSE, RIDGE: answers (B, Q, 1)})}


class Evaluator(evaluation.Evaluator):
    """Evaluates the decoders of a session whose tasks are pools of functions."""

    def __init__(self, session: Session, settings: TaskDiversity):
        super().__init__(session, settings)
        self._exact: dict[int, Exact] = {}  # by member

    def curve(self) -> dict:
        """Return the numbers of every decoder's evaluation, and for each of `PLACES` two further ones.

        `distance_PLACE`: {DMMSE, RIDGE: squared distance of the decoder's answers from theirs}. `error_PLACE`:
        {learner: squared error}. Both are divided by E f^2, and are means over all numbers of examples.
        """

        def measure(index: int, member: Member, learners: dict[str, Learner]) -> dict:
            if index not in self._exact:
                self._exact[index] = exact_answers(member, self.settings.eval.episodes)
            return distances(_pool(member), learners[self.SUBJECT], self._exact[index])

        return super().curve() | self.each_member(measure)


def _pool(member: Member) -> Pool:
    assert isinstance(member.task, Pool)  # `run.session_of` makes it one
    return member.task


def exact_answers(member: Member, count: int) -> Exact:
    """Return `count` episodes with functions of the pool and as many with new ones, and the optimal answers to them.

    One key draws both, so inputs and noise are the same.
    """
    pool = _pool(member)
    exact = {DMMSE: Optimal(pool), RIDGE: Optimal(pool.task)}
    result = {}
    for place, task in zip(PLACES, (pool, pool.task), strict=True):
        episodes = episodes_of(task, member.validation, count)
        result[place] = episodes, {name: jax.device_get(answers(each, episodes)) for name, each in exact.items()}
    return result


def distances(pool: Pool, decoder: Learner, exact: Exact) -> dict:
    """Return the numbers that `Evaluator.curve` adds, for one member; `exact` is the result of `exact_answers`."""
    result = {}
    for place, (episodes, by_name) in exact.items():
        answer_BxQx1 = answers(decoder, episodes)
        result[f"distance_{place}"] = {
            name: _mean(from_exact(pool, answer_BxQx1, each)) for name, each in by_name.items()
        }
        everyone = {evaluation.Evaluator.SUBJECT: answer_BxQx1} | by_name
        result[f"error_{place}"] = {name: _mean(errors(pool, each, episodes.target)) for name, each in everyone.items()}
    return result


def _mean(errors_BxQ: jax.Array) -> Mapping[str, np.number]:
    """Return the mean over queries and episodes, and its standard error over episodes."""
    return mean_and_error(np.mean(errors_BxQ, axis=1))
