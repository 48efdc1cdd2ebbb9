"""How far a decoder is from the Bayes-optimal answers for its pool of functions and for all functions."""

import jax
import numpy as np

from analysis.metrics.alignment import mean_and_error
from lab.learners.learner import Learner
from lab.learners.optimal import Optimal
from tasks.episode import Episode
from tasks.pool import Pool
from trainers.decoders import evaluation
from trainers.decoders.prefixes import answers, episodes_of, errors
from trainers.population import Member

DMMSE, RIDGE = "dmmse", "ridge"  # Bayes-optimal for the pool, and for the whole class, as [Rav23] calls them
PLACES = ("pool", "fresh")  # where episodes have functions of the pool, and new ones


class Evaluator(evaluation.Evaluator):
    """The tasks of its session are pools. `curve` also gives, of episodes with functions of the pool and with fresh
    ones: {"distance_PLACE": {DMMSE, RIDGE: squared distance of the decoder's answers from theirs}} and {"error_PLACE":
    {learner: squared error}}, divided by E f^2, means over all numbers of examples."""

    def __init__(self, session, settings):
        super().__init__(session, settings)
        self._exact: dict[int, dict[str, tuple[Episode, dict[str, np.ndarray]]]] = {}  # by member

    def curve(self) -> dict:
        def measure(index: int, member: Member, learners: dict[str, Learner]) -> dict:
            if index not in self._exact:
                self._exact[index] = exact_answers(member, self._settings.eval.episodes)
            return distances(member.task, learners[self.SUBJECT], self._exact[index])

        return super().curve() | self._each_member(measure)


def exact_answers(member: Member, count: int) -> dict[str, tuple[Episode, dict[str, np.ndarray]]]:
    """{place: (episodes, {DMMSE, RIDGE: answers (B, Q, 1)})}. One key draws both: inputs and noise are the same."""
    pool: Pool = member.task
    exact = {DMMSE: Optimal(pool), RIDGE: Optimal(pool.task)}
    result = {}
    for place, task in zip(PLACES, (pool, pool.task), strict=True):
        episodes = episodes_of(task, member.validation, count)
        result[place] = episodes, {name: jax.device_get(answers(each, episodes)) for name, each in exact.items()}
    return result


def distances(pool: Pool, decoder: Learner, exact: dict[str, tuple[Episode, dict[str, np.ndarray]]]) -> dict:
    """As `Evaluator.curve` has them, for one member."""
    result = {}
    for place, (episodes, by_name) in exact.items():
        answer_BxQx1 = answers(decoder, episodes)
        result[f"distance_{place}"] = {name: _mean(errors(pool, answer_BxQx1, each)) for name, each in by_name.items()}
        everyone = {evaluation.Evaluator.SUBJECT: answer_BxQx1} | by_name
        result[f"error_{place}"] = {name: _mean(errors(pool, each, episodes.target)) for name, each in everyone.items()}
    return result


def _mean(errors_BxQ: jax.Array) -> dict[str, np.ndarray]:
    return mean_and_error(np.mean(errors_BxQ, axis=1))
