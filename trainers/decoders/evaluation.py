"""Evaluation of decoders during training, on episodes of the distribution that they are trained on."""

import types
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import jax
import numpy as np

from analysis.metrics.alignment import mean_and_error
from analysis.metrics.answers import Answers, evaluate
from analysis.tables.columns import Curves
from lab.config.decoder import TrainsDecoder
from lab.learners.given import Optimal
from lab.learners.learner import Learner, predict
from tasks.task import Task
from trainers.population import Member
from trainers.runner import SessionRunner
from trainers.session import Session

OPTIMAL = "optimal"  # the name of the Bayes-optimal answer among the learners


class Evaluator:
    """Evaluates the decoders of a session in their present state, those of each member on its task.

    Every number that it returns has the population in front.
    """

    SUBJECT: ClassVar[str] = "decoder"
    rates: Mapping[str, str] = types.MappingProxyType({})

    def __init__(self, session: Session, settings: TrainsDecoder):
        self.session, self.settings = session, settings
        self.group_sizes: dict[object, int] = {}
        self._optimal: dict[int, dict[str, dict]] = {}  # {member: numbers of the optimal answer}, computed once

    def curve(self) -> dict:
        """Return {"loss": {learner: mean and error}}, and the same for the task's other scores, on test episodes."""

        def measure(index: int, member: Member, learners: dict[str, Learner]) -> dict:
            runner = SessionRunner(self.session.programs, self.group_sizes)
            if index not in self._optimal:
                self._optimal[index] = numbers_of(self.evaluate_on(optimal(member.task), member.task, member, runner))
            trained = numbers_of(self.evaluate_on(learners, member.task, member, runner))
            names = trained.keys() | self._optimal[index].keys()
            return {name: trained.get(name, {}) | self._optimal[index].get(name, {}) for name in sorted(names)}

        return self.each_member(measure)

    def rows(self, step: int, seeds: list[int], losses: dict[str, np.ndarray], results: dict) -> list[dict]:
        """Return one row per seed: the mean training loss since the last row, and all learners' losses and scores."""
        return [
            {Curves.STEP: step, Curves.SEED: seed}
            | {f"train_loss.{name}": float(each[row].mean()) if step else None for name, each in losses.items()}
            | {
                f"{number}.{name}": float(values["mean"][row])
                for number, learners in results.items()
                for name, values in learners.items()
            }
            for row, seed in enumerate(seeds)
        ]

    def evaluate_on(
        self, learners: dict[str, Learner], task: Task, member: Member, runner: SessionRunner
    ) -> dict[str, Answers]:
        """Return the answers of the learners to test episodes of a task, which the member's key draws."""
        if not learners:
            return {}
        episodes = self.settings.eval.in_training
        return evaluate(learners, {"": task}, member.validation, episodes, sensitivity=False, runner=runner)[""]

    def each_member(self, function: Callable[[int, Member, dict[str, Learner]], Any]) -> Any:
        """Return function(index, member, its trained learners) of all members, with the population in front."""
        trained = self.session.learners("decoder", lambda member, prepared, trained: trained)
        results = self.session.each_member(function, trained)
        return jax.tree.map(lambda *members: np.stack(members), *results)


def optimal(task: Task) -> dict[str, Learner]:
    """Return {OPTIMAL: the Bayes-optimal answer as a learner}, or nothing if it is not known for the task."""
    learner = Optimal(task)
    try:
        jax.eval_shape(lambda: predict(learner, task.sample(jax.random.key(0), 1).prompt))
    except NotImplementedError:
        return {}
    return {OPTIMAL: learner}


def values_of(answers: Answers) -> dict[str, jax.Array]:
    """Return {"loss": (B,), score: (B,)} of one learner."""
    return {"loss": answers.loss} | answers.scores


def numbers_of(answers: dict[str, Answers]) -> dict[str, dict]:
    """Return {"loss" or score: {learner: its mean and error}}."""
    by_learner = {name: values_of(each) for name, each in answers.items()}
    names = next(iter(by_learner.values()), {})
    return {number: {name: mean_and_error(each[number]) for name, each in by_learner.items()} for number in names}
