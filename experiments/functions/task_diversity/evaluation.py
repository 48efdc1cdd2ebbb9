"""Distances of a decoder's answers from the Bayes-optimal ones, for its pool of functions and for all functions."""

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
from trainers.population import Member
from trainers.session import Session

Exact = dict[str, tuple[Episode, dict[str, jax.Array]]]  # {place: (episodes, {DMMSE, RIDGE: answers (B, Q, 1)})}


class Evaluator(evaluation.Evaluator):
    """Evaluates the decoders of a session whose tasks are pools of functions."""

    def __init__(self, session: Session, settings: TaskDiversity):
        super().__init__(session, settings)
        self._exact: dict[int, Exact] = {}  # by member

    def curve(self) -> dict:
        """Return the numbers of every decoder's evaluation, and further ones for episodes with functions of the pool
        (`_pool`) and with new ones (`_fresh`).

        `distance_PLACE`: {DMMSE, RIDGE: squared distance of the decoder's answers from theirs}. `error_PLACE`:
        {learner: squared error}. Both are divided by E f^2, and are means over all numbers of examples.
        """

        def measure(index: int, member: Member, learners: dict[str, Learner]) -> dict:
            pool, decoder = member.task, learners[self.SUBJECT]
            assert isinstance(pool, Pool)  # `run.session_of` makes it one
            if index not in self._exact:
                self._exact[index] = exact_answers(pool, member.validation, self.settings.eval.episodes)
            result = {}
            for place, (episodes, exact) in self._exact[index].items():
                answer_BxQx1 = answers(decoder, episodes)
                distances = {name: errors(pool, answer_BxQx1, each) for name, each in exact.items()}
                everyone = {self.SUBJECT: answer_BxQx1} | exact
                of_answers = {name: errors(pool, each, episodes.target) for name, each in everyone.items()}
                result |= {f"distance_{place}": distances, f"error_{place}": of_answers}
            return jax.tree.map(lambda each_BxQ: mean_and_error(np.mean(each_BxQ, axis=1)), result)

        return super().curve() | self.each_member(measure)


def exact_answers(pool: Pool, key: jax.Array, count: int) -> Exact:
    """Return `count` episodes with functions of the pool and as many with new ones, and the optimal answers to them.

    One key draws both, so inputs and noise are the same.
    """
    exact, result = {DMMSE: Optimal(pool), RIDGE: Optimal(pool.task)}, {}
    for place, task in (("pool", pool), ("fresh", pool.task)):
        episodes = episodes_of(task, key, count)
        result[place] = episodes, {name: jax.device_get(answers(each, episodes)) for name, each in exact.items()}
    return result
