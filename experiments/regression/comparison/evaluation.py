"""The evaluation of the learners of a comparison: on test episodes, under shifts, and of the Transformer's circuits.

Nothing is computed twice: test episodes are drawn once, learners that training does not change answer them once, and
the last answers of the training curve are used at the end of the run as well.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import jax
import numpy as np

from analysis.metrics import copying
from analysis.metrics.alignment import align, mean_and_error, statistics
from analysis.metrics.answers import Answers, Runner, block_sizes, evaluate
from analysis.metrics.theory import Oracle, has_oracle, one_step
from analysis.tables.rows import curve_rows
from experiments.regression.comparison import baselines, by_feature, circuits, shifts, trainees
from experiments.regression.comparison.baselines import Learners
from experiments.regression.comparison.settings import Comparison
from lab.learners.interleaved import InterleavedTransformer
from lab.learners.learner import Learner
from tasks.episode import Episode
from tasks.synthetic import Synthetic
from tasks.task import Task
from tasks.wrapper import Along, has_curves
from trainers import transformers
from trainers.population import Member, stacked
from trainers.runner import SessionRunner
from trainers.session import Session

# Most bytes of answers, and of episodes on the device, that are kept for a population; others are computed again.
KEPT_BYTES = 2**30

META_TRAINED = ("gd_plus_plus", "heavy_ball", "preconditioned", "newton", "four_rates")


class Evaluator:
    """Evaluates the learners of a session in their present state, those of each member on its task.

    Statistics are those of `analysis.metrics.alignment.statistics`; every number has the population in front.
    """

    SUBJECT: ClassVar[str] = trainees.SUBJECT

    def __init__(self, session: Session, settings: Comparison):
        self._session, self._settings = session, settings
        baselines = dict.fromkeys(META_TRAINED, "baselines.gd_plus_plus.learning_rate")
        self.rates = baselines | dict.fromkeys(settings.learners, "")  # the user's own may have none
        self._group_sizes: dict[object, int] = {}
        self._blocks: dict[int, dict[int, Episode]] = {}  # by member
        self._answers: dict[tuple[int, str], tuple[int, dict[str, Answers]]] = {}  # (member, kind): (change, answers)
        self._fixed_learners: Learners | None = None

    def curve(self) -> dict:
        """Return the statistics of the training curve's learners."""

        def statistics(index: int, member: Member, learners: dict[str, Learners]) -> dict:
            answers = self._curve_answers(index, member, learners)
            results = self._statistics(answers) | self._own(answers, [trainees.reference_of(self._settings)])
            if not self._settings.model.interleaved:
                return results
            dependence_TxT = self._dependence(learners["changing"][trainees.SUBJECT], index, member)
            return results | {"copying": copying.summary(dependence_TxT, member.task.num_context)}

        return self._each_member(statistics, self._curve_learners())

    def rows(self, step: int, seeds: list[int], losses: dict[str, np.ndarray], results: dict) -> list[dict]:
        """Return one row of the curves per seed."""
        rows = curve_rows(step, seeds, losses, results)
        if self._session.task.finite:
            jumps = jumps_of(losses)
            rows = [
                row | {f"train_jump.{name}": values[i] for name, values in jumps.items()} for i, row in enumerate(rows)
            ]
        return [
            row
            | columns_of_own(results, member)
            | {f"copying.{name}": float(values[member]) for name, values in results.get("copying", {}).items()}
            for member, row in enumerate(rows)
        ]

    def final(self) -> dict:
        """Return the statistics of all learners; losses after each layer are those of the curve's learners alone."""
        learners = self._curve_learners() | {"final": self._learners(baselines.final_learners)}

        def compare(index: int, member: Member, learners: dict[str, Learners]) -> dict:
            curve = self._curve_answers(index, member, learners)
            others = {name: learner for name, learner in learners["final"].items() if name not in curve}
            shuffled = [name for name in others if name.startswith(baselines.SHUFFLED_OWN)]
            answers = curve | self._evaluate(others, _test_task(member), member, self._runner(index))
            shared = {name: each for name, each in answers.items() if name not in shuffled}
            references = [name for name in shared if name not in (*trainees.OF_THE_SUBJECT, *self._settings.learners)]
            results = self._statistics(shared) | self._own(answers, references)
            features = by_feature.sensitivities({name: curve[name] for name in self._session.trained})
            return results | {"layers": {name: results["layers"][name] for name in curve}, "features": features}

        return self._each_member(compare, learners)

    def on_training_rows(self) -> dict | None:
        """Return the losses of what is trained on episodes of training rows; None where episodes are not of a table."""
        if not self._session.task.finite:
            return None

        def measure(index: int, member: Member, learners: dict[str, Learners]) -> dict:
            trained = {name: learners["changing"][name] for name in self._session.trained}
            answers = self._evaluate(trained, member.task, member, self._runner(), sensitivity=False)
            losses = {name: mean_and_error(each.loss, each.group) for name, each in answers.items()}
            return {"loss": losses, "alignment": {}}

        return self._each_member(measure, self._curve_learners())

    def shifted(self) -> list[dict] | None:
        """Return the statistics of the curve's learners at each of `shifts.places`; None without shifts."""
        if not shifts.places(self._settings):
            return None

        def compare(index: int, member: Member, learners: dict[str, Learners]) -> list[dict]:
            everyone = learners["changing"] | learners["fixed"]
            tasks = shifts.tasks(self._settings, member.task)
            return [self._statistics(self._evaluate(everyone, task, member, self._runner())) for task in tasks]

        return self._each_member(compare, self._curve_learners())

    def inspect(self, members: Sequence[int]) -> list[dict]:
        """Return, for each of these members, what `circuits.write` takes as `measured`: arrays of its Transformer."""

        def inspect(index: int, member: Member, learners: dict[str, Learners]) -> dict:
            measured: dict[str, Any] = {
                "readouts": circuits.first_readouts(self._curve_answers(index, member, learners))
            }
            everyone, task = learners["changing"] | learners["fixed"], _test_task(member)
            if has_curves(task):
                measured["along"] = self._along(everyone, task, member)
            if self._settings.model.interleaved:
                models = {name: everyone[name] for name in circuits.MODELS}
                return measured | {"copying": {n: self._dependence(each, index, member) for n, each in models.items()}}
            if not transformers.has_circuits(self._settings):
                return measured
            _, size = block_sizes(task, self._settings.eval.episodes)
            episodes = self._runner(index).draw(task, member.validation, 0, size)
            program = ("circuits", functools.partial(circuits.measure, self._settings))
            models = [everyone[name] for name in circuits.MODELS]
            fitting = self._session.programs.fit(*program, models, task.scoring, episodes)
            episodes = jax.tree.map(lambda leaf: leaf[:fitting], episodes)
            return measured | jax.device_get(self._run(*program, models, task.scoring, episodes))

        return self._session.each_member(inspect, self._curve_learners(), members)

    def _dependence(self, model: Learner, index: int, member: Member) -> np.ndarray:
        """Return the dependence (T, T) of tokens after the first layer on tokens before it, in some test episodes."""
        assert isinstance(model, InterleavedTransformer)  # only these have such a layer
        task = _test_task(member)
        _, size = block_sizes(task, self._settings.eval.episodes)
        episodes = self._runner(index).draw(task, member.validation, 0, size)
        few = jax.tree.map(lambda leaf: leaf[: copying.PROMPTS], episodes.prompt)
        return jax.device_get(self._run("copying", copying.dependence, model, few))

    def _along(self, learners: Learners, task: Task, member: Member) -> list[dict]:
        """Return the rows of the table `along`: the learners' answers to a few prompts along the range of the input."""
        assert isinstance(task, Synthetic)  # `has_curves` says so
        grid, runner = Along(task), self._runner()
        episodes = runner.draw(grid, member.validation, 0, circuits.PROMPTS)
        answers = evaluate(learners, {"": grid}, member.validation, circuits.PROMPTS, sensitivity=False, runner=runner)
        return circuits.along_rows(answers[""], jax.device_get(episodes))

    def _learners(self, learners_of: Callable) -> Learners:
        """Return learners_of(settings, member, references, trained) of the whole population."""
        return self._session.learners(learners_of.__name__, functools.partial(learners_of, self._settings))

    def _curve_learners(self) -> dict[str, Learners]:
        if self._fixed_learners is None:
            self._fixed_learners = self._learners(baselines.fixed_learners)
        return {"changing": self._learners(baselines.changing_learners), "fixed": self._fixed_learners}

    def _curve_answers(self, index: int, member: Member, learners: dict[str, Learners]) -> dict[str, Answers]:
        """Return the answers to a member's test episodes; they are kept for the next call, as far as there is room."""
        answers: dict[str, Answers] = {}
        for kind, change in (("changing", self._session.changes), ("fixed", 0)):
            earlier = self._answers.get((index, kind))
            if earlier is not None and earlier[0] == change:
                answers |= earlier[1]
                continue
            new_answers = self._evaluate(learners[kind], _test_task(member), member, self._runner(index))
            if self._session.size * _bytes(new_answers) <= KEPT_BYTES:
                self._answers[index, kind] = change, new_answers
            answers |= new_answers
        return answers

    def _evaluate(
        self, learners: Learners, task: Task, member: Member, runner: Runner, sensitivity: bool = True
    ) -> dict[str, Answers]:
        episodes = self._settings.eval.episodes
        return evaluate(learners, {"": task}, member.validation, episodes, sensitivity, runner)[""]

    def _runner(self, index: int | None = None) -> SessionRunner:
        """Return a runner of programs. With a member's index it keeps the member's test episodes, if there is room."""
        blocks, task = None, self._session.task
        if index is not None and self._session.size * task.bytes_of(self._settings.eval.episodes) <= KEPT_BYTES:
            blocks = self._blocks.setdefault(index, {})
        return SessionRunner(self._session.programs, self._group_sizes, blocks)

    def _statistics(self, answers: dict[str, Answers]) -> dict:
        return statistics(answers, trainees.SUBJECT, functools.partial(self._run, "align", align))

    def _own(self, answers: dict[str, Answers], references: Sequence[str]) -> dict:
        """Return {"own": {learner of the user's own: {reference: statistics of their alignment}}}; {} without any.

        Among the references is the learner itself with shuffled labels, where it has answered so.
        """
        compare = functools.partial(self._run, "align", align)
        own = {}
        for name in self._settings.learners:
            others = {each: answers[each] for each in references}
            if (control := f"{baselines.SHUFFLED_OWN}{name}") in answers:
                others["shuffled"] = answers[control]
            own[name] = statistics({name: answers[name]} | others, name, compare)["alignment"]
        return {"own": own} if own else {}

    def _run(self, name: str, function: Callable, *arguments):
        return self._session.programs.run("evaluate", name, function, *arguments)

    def _each_member(self, function: Callable, learners: dict[str, Learners]):
        results = self._session.each_member(function, learners)
        return jax.tree.map(lambda *members: np.stack(members), *results)


def columns_of_own(results: Mapping, member: int) -> dict[str, float]:
    """Return one member's columns `LEARNER.REFERENCE.METRIC` of the alignment of the user's own learners."""
    return {
        f"{name}.{reference}.{metric}": float(values["mean"][member])
        for name, others in results.get("own", {}).items()
        for reference, metrics in others.items()
        for metric, values in metrics.items()
    }


def jumps_of(losses: Mapping[str, np.ndarray]) -> dict[str, list[float | None]]:
    """Return the largest ratio of a batch's loss to that of the batch before, for each trained learner and seed.

    Args:
        losses: {learner: (P, steps)}; of fewer than two steps there is no ratio, but None.
    """
    return {
        name: [float(np.max(values_S[1:] / values_S[:-1])) if len(values_S) > 1 else None for values_S in losses_PxS]
        for name, losses_PxS in losses.items()
    }


def oracle(session: Session) -> Oracle | None:
    """Return the best single gradient step in theory; None if it has no closed form for the task."""
    if not has_oracle(session.task):
        return None

    def of_one(index: int, member: Member, everyone: dict) -> Oracle:
        return jax.device_get(session.programs.run("evaluate", "oracle", one_step, member.task))  # on every host

    # one by one: side by side a sum is rounded differently, and a stopped sweep may have fewer points left
    return jax.device_get(stacked(session.each_member(of_one, {})))


def _test_task(member: Member) -> Task:
    return member.task.evaluations()["test"]


def _bytes(tree) -> int:
    return sum(leaf.nbytes for leaf in jax.tree.leaves(tree))
