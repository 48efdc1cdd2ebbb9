"""A decoder measured: along training on episodes as it is trained on, at the end by the number of examples shown."""

from typing import ClassVar

import jax
import numpy as np

from analysis.metrics.alignment import mean_and_error
from analysis.metrics.answers import Answers, evaluate
from lab.config.decoder import TrainsDecoder
from lab.learners.learner import Learner, predict
from lab.learners.optimal import Optimal
from tasks.task import Task
from trainers.population import Member
from trainers.runner import SessionRunner
from trainers.session import Session

OPTIMAL = "optimal"


class Evaluator:
    """Evaluates the decoders of a session as they are now, those of each member on its task. Every number that it
    gives has the population in front."""

    SUBJECT = "decoder"
    RATES: ClassVar = {}

    def __init__(self, session: Session, settings: TrainsDecoder):
        self.session, self.settings = session, settings
        self.group_sizes: dict[object, int] = {}
        self._optimal: dict[int, dict[str, dict]] = {}  # by member: what training does not change

    def curve(self) -> dict:
        """{"loss": {learner: mean and error}} and the same of the task's other scores, on the task's own episodes."""

        def measure(index: int, member: Member, learners: dict[str, Learner]) -> dict:
            runner = SessionRunner(self.session.programs, self.group_sizes)
            if index not in self._optimal:
                self._optimal[index] = numbers(self.evaluate_on(optimal(member.task), member.task, member, runner))
            trained = numbers(self.evaluate_on(learners, member.task, member, runner))
            names = trained.keys() | self._optimal[index].keys()
            return {name: trained.get(name, {}) | self._optimal[index].get(name, {}) for name in sorted(names)}

        return self.each_member(measure)

    def rows(self, step: int, seeds: list[int], losses: dict[str, np.ndarray], results: dict) -> list[dict]:
        """One row of the curves per seed: training losses since the last row, losses and scores of all learners."""
        return [
            {"step": step, "seed": seed}
            | {f"train_loss.{name}": float(each[row].mean()) if step else None for name, each in losses.items()}
            | {
                f"{number}.{name}": float(values["mean"][row])
                for number, learners in results.items()
                for name, values in learners.items()
            }
            for row, seed in enumerate(seeds)
        ]

    def evaluate_on(self, learners: dict[str, Learner], task: Task, member: Member, runner) -> dict[str, Answers]:
        if not learners:
            return {}
        episodes = self.settings.eval.episodes
        return evaluate(learners, {"": task}, member.validation, episodes, sensitivity=False, runner=runner)[""]

    def each_member(self, function) -> dict:
        trained = self.session.learners("decoder", lambda member, prepared, trained: trained)
        results = self.session.each_member(function, trained)
        return jax.tree.map(lambda *members: np.stack(members), *results)


def optimal(task: Task) -> dict[str, Learner]:
    """The Bayes-optimal answer as a learner, where the task knows it."""
    learner = Optimal(task)
    try:
        jax.eval_shape(lambda: predict(learner, task.sample(jax.random.key(0), 1).prompt))
    except NotImplementedError:
        return {}
    return {OPTIMAL: learner}


def values(answers: Answers) -> dict[str, np.ndarray]:
    """{"loss": (B,), score: (B,)}."""
    return {"loss": answers.loss} | answers.scores


def numbers(answers: dict[str, Answers]) -> dict[str, dict]:
    """{number: {learner: its mean and error}}."""
    values = {name: values(each) for name, each in answers.items()}
    numbers = next(iter(values.values()), {})
    return {number: {name: mean_and_error(each[number]) for name, each in values.items()} for number in numbers}
