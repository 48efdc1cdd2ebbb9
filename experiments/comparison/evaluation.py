"""The learners of a comparison, evaluated: on test episodes, under shifts, and inside.

What cannot change is computed once: test episodes are drawn once, learners that training does not change answer them
once, and the last answers of the training curve serve the end of the run as well.
"""

import functools
from collections.abc import Callable, Sequence
from typing import ClassVar

import jax
import numpy as np

from analysis.metrics import copying
from analysis.metrics.alignment import align, statistics
from analysis.metrics.answers import Answers, Runner, block_sizes, evaluate
from analysis.metrics.theory import Oracle, has_oracle, one_step
from analysis.tables.rows import curve_rows
from experiments.comparison import along, baselines, circuits, shifts, trainees
from experiments.comparison.baselines import Learners
from experiments.comparison.settings import Comparison
from lab.learners.interleaved import InterleavedTransformer
from tasks.along import Along, has_curves
from tasks.episode import Episode
from tasks.task import Task
from trainers import stacks
from trainers.population import Member, vmap_population
from trainers.runner import SessionRunner
from trainers.session import Session

KEPT_BYTES = 2**30  # of answers, and of episodes on the device: a population's that take more are computed again


class Evaluator:
    """Evaluates the learners of a session as they are now, those of each member on its task.

    Statistics are `analysis.metrics.alignment.statistics`, every number with the population in front.
    """

    SUBJECT = trainees.SUBJECT
    RATES: ClassVar = dict.fromkeys(("gd_plus_plus", "heavy_ball"), "baselines.gd_plus_plus.learning_rate")

    def __init__(self, session: Session, settings: Comparison):
        self._session, self._settings = session, settings
        self._group_sizes: dict[object, int] = {}
        self._blocks: dict[int, dict[int, Episode]] = {}  # by member
        self._answers: dict[tuple[int, str], tuple[int, dict[str, Answers]]] = {}  # (member, kind): (change, answers)
        self._fixed_learners: Learners | None = None

    def curve(self) -> dict:
        """The statistics of the training curve's learners."""

        def statistics(index: int, member: Member, learners: dict[str, Learners]) -> dict:
            results = self._statistics(self._curve_answers(index, member, learners))
            if not self._settings.model.interleaved:
                return results
            of_first_layer = self._dependence(learners["changing"][trainees.SUBJECT], index, member)
            return results | {"copying": copying.summary(of_first_layer, member.task.num_context)}

        return self._each_member(statistics, self._curve_learners())

    def rows(self, step: int, seeds: list[int], losses: dict[str, np.ndarray], results: dict) -> list[dict]:
        """One row of the curves per seed."""
        rows = curve_rows(step, seeds, losses, results)
        return [
            row | {f"copying.{name}": float(values[member]) for name, values in results.get("copying", {}).items()}
            for member, row in enumerate(rows)
        ]

    def final(self) -> dict:
        """The statistics of all learners; of the loss after each layer those of the curve's learners alone."""
        learners = self._curve_learners() | {"final": self._learners(baselines.final_learners)}

        def compare(index: int, member: Member, learners: dict[str, Learners]) -> dict:
            curve = self._curve_answers(index, member, learners)
            others = {name: learner for name, learner in learners["final"].items() if name not in curve}
            results = self._statistics(curve | self._evaluate(others, _test_task(member), member, self._runner(index)))
            return results | {"layers": {name: results["layers"][name] for name in curve}}

        return self._each_member(compare, learners)

    def shifted(self) -> list[dict] | None:
        """The statistics of the curve's learners at each of `shifts.places`; None where there is none."""
        if not shifts.places(self._settings):
            return None

        def compare(index: int, member: Member, learners: dict[str, Learners]) -> list[dict]:
            everyone = learners["changing"] | learners["fixed"]
            tasks = shifts.tasks(self._settings, member.task)
            return [self._statistics(self._evaluate(everyone, task, member, self._runner())) for task in tasks]

        return self._each_member(compare, self._curve_learners())

    def inspect(self, members: Sequence[int]) -> list[dict]:
        """What is inside the trained Transformers of these members (`circuits.write` takes it)."""

        def inspect(index: int, member: Member, learners: dict[str, Learners]) -> dict:
            inside = {"readouts": circuits.first_readouts(self._curve_answers(index, member, learners))}
            everyone, task = learners["changing"] | learners["fixed"], _test_task(member)
            if has_curves(task):
                inside["along"] = self._along(everyone, task, member)
            if self._settings.model.interleaved:
                models = {name: everyone[name] for name in circuits.MODELS}
                return inside | {"copying": {n: self._dependence(each, index, member) for n, each in models.items()}}
            if not stacks.has_circuits(self._settings):
                return inside
            _, size = block_sizes(task, self._settings.eval.episodes)
            episodes = self._runner(index).draw(task, member.validation, 0, size)
            program = ("circuits", functools.partial(circuits.measure, self._settings))
            models = [everyone[name] for name in circuits.MODELS]
            fitting = self._session.programs.fit(*program, models, task.scoring, episodes)
            episodes = jax.tree.map(lambda leaf: leaf[:fitting], episodes)
            return inside | jax.device_get(self._run(*program, models, task.scoring, episodes))

        return self._session.each_member(inspect, self._curve_learners(), members)

    def _dependence(self, model: InterleavedTransformer, index: int, member: Member) -> np.ndarray:
        """What the first layer's tokens depend on, in some of the test episodes."""
        task = _test_task(member)
        _, size = block_sizes(task, self._settings.eval.episodes)
        episodes = self._runner(index).draw(task, member.validation, 0, size)
        few = jax.tree.map(lambda leaf: leaf[: copying.PROMPTS], episodes.prompt)
        return jax.device_get(self._run("copying", copying.dependence, model, few))

    def _along(self, learners: Learners, task: Task, member: Member) -> list[dict]:
        """Rows of what learners have learned of a few functions."""
        task, runner = Along(task), self._runner()
        episodes = runner.draw(task, member.validation, 0, along.PROMPTS)
        answers = evaluate(learners, {"": task}, member.validation, along.PROMPTS, sensitivity=False, runner=runner)
        return along.rows(answers[""], jax.device_get(episodes))

    def _learners(self, learners_of: Callable) -> Learners:
        """learners_of(settings, member, references, trained) of the whole population."""
        return self._session.learners(learners_of.__name__, functools.partial(learners_of, self._settings))

    def _curve_learners(self) -> dict[str, Learners]:
        if self._fixed_learners is None:
            self._fixed_learners = self._learners(baselines.fixed_learners)
        return {"changing": self._learners(baselines.changing_learners), "fixed": self._fixed_learners}

    def _curve_answers(self, index: int, member: Member, learners: dict[str, Learners]) -> dict[str, Answers]:
        """To the test episodes of a member; what it has answered before is kept, as far as there is room."""
        answers = {}
        for kind, change in (("changing", self._session.changes), ("fixed", 0)):
            known, known_answers = self._answers.get((index, kind), (None, None))
            if known != change:
                known_answers = self._evaluate(learners[kind], _test_task(member), member, self._runner(index))
                if self._session.size * _bytes(known_answers) <= KEPT_BYTES:
                    self._answers[index, kind] = change, known_answers
            answers |= known_answers
        return answers

    def _evaluate(self, learners: Learners, task: Task, member: Member, runner: Runner) -> dict[str, Answers]:
        episodes = self._settings.eval.episodes
        return evaluate(learners, {"": task}, member.validation, episodes, runner=runner)[""]

    def _runner(self, index: int | None = None) -> SessionRunner:
        """What draws a member's test episodes, which are kept if there is room; or without an index any others."""
        blocks, task = None, self._session.task
        if index is not None and self._session.size * task.bytes_of(self._settings.eval.episodes) <= KEPT_BYTES:
            blocks = self._blocks.setdefault(index, {})
        return SessionRunner(self._session.programs, self._group_sizes, blocks)

    def _statistics(self, answers: dict[str, Answers]) -> dict:
        return statistics(answers, trainees.SUBJECT, functools.partial(self._run, "align", align))

    def _run(self, name: str, function: Callable, *arguments):
        return self._session.programs.run("evaluate", name, function, *arguments)

    def _each_member(self, function: Callable, learners: dict[str, Learners]):
        results = self._session.each_member(function, learners)
        return jax.tree.map(lambda *members: np.stack(members), *results)


def oracle(session: Session) -> Oracle | None:
    """The best single step in theory; None where the task has no closed form."""
    if not has_oracle(session.task):
        return None
    program = vmap_population(lambda member: one_step(member.task))
    return jax.device_get(session.programs.run("evaluate", "oracle", program, session.members))


def _test_task(member: Member) -> Task:
    return member.task.evaluations()["test"]


def _bytes(tree) -> int:
    return sum(leaf.nbytes for leaf in jax.tree.leaves(tree))
