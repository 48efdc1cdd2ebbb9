"""The evaluation of a decoder of click streams, on sliding windows and on prompts of many targets.

At the end it is compared with Bayes-optimal answers.
"""

import types
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import jax
import numpy as np

from analysis.metrics.alignment import mean_and_error
from analysis.metrics.answers import Answers, evaluate
from experiments.clicks.dti.settings import Dti
from experiments.clicks.metrics import auc
from experiments.clicks.tables import SLIDING, STREAMING, curve_rows
from lab.learners.given import Optimal
from lab.learners.learner import Learner
from lab.learners.shown import Within
from lab.learners.stream_decoder import StreamDecoder
from tasks.settings import Clicks
from tasks.task import Task
from trainers.population import Member
from trainers.runner import SessionRunner
from trainers.session import Session

DECODER = "decoder"
ITEM, WINDOW, ALL = "bayes_item", "bayes_window", "bayes_all"


class Evaluator:
    """Evaluates the decoders of a session in their present state, those of each member on its task.

    Every number that it returns has the population in front.
    """

    SUBJECT: ClassVar[str] = STREAMING
    rates: Mapping[str, str] = types.MappingProxyType({})

    def __init__(self, session: Session, settings: Dti):
        self._session, self._settings = session, settings
        self._group_sizes: dict[object, int] = {}
        self._window_aucs: dict[int, float] = {}  # {member: AUC of the Bayes-optimal answer from a window}

    def curve(self) -> dict:
        """Return {"loss": {evaluation: mean and error}, "auc": {evaluation or Bayes-optimal answer: AUC}} of the first
        block of test users."""

        def measure(index: int, member: Member, learners: dict[str, Learner]) -> dict:
            answers, labels = self._block(test_forms(learners[DECODER], self._settings), member, 0)
            if index not in self._window_aucs:
                best = {WINDOW: optimal(member.task)[WINDOW]}
                self._window_aucs[index] = aucs_of(self._block(best, member, 0)[0], labels)[WINDOW]
            return {
                "loss": {name: mean_and_error(each.loss) for name, each in answers.items()},
                "auc": aucs_of(answers, labels) | {WINDOW: self._window_aucs[index]},
            }

        return self._each_member(measure)

    def rows(self, step: int, seeds: list[int], losses: dict[str, np.ndarray], results: dict) -> list[dict]:
        """Return one row per seed."""
        return curve_rows(step, seeds, losses, results)

    def final(self) -> dict:
        """Return {"labels": (P, U, Q), "logits": {evaluation or Bayes-optimal answer: (P, U, Q)}} of U test users."""
        users = self._settings.eval.users

        def measure(index: int, member: Member, learners: dict[str, Learner]) -> dict:
            forms = test_forms(learners[DECODER], self._settings) | optimal(member.task)
            blocks = []
            for number in range(-(-users // self._settings.eval.block)):
                answers, labels = self._block(forms, member, number)
                blocks.append({"labels": labels, "logits": logits_of(answers)})
            return jax.tree.map(lambda *parts: np.concatenate(parts)[:users], *blocks)

        return self._each_member(measure)

    def _block(
        self, learners: dict[str, Learner], member: Member, number: int
    ) -> tuple[dict[str, Answers], np.ndarray]:
        """Return the answers for a block of `eval.block` users, and their labels (U, Q), 1 for a click.

        All blocks have one size, so that they need one program.
        """
        runner = SessionRunner(self._session.programs, self._group_sizes, blocks={})
        key, users = jax.random.fold_in(member.validation, number), self._settings.eval.block
        answers = evaluate(learners, {"": member.task}, key, users, sensitivity=False, runner=runner)[""]
        return answers, jax.device_get(runner.draw(member.task, key, 0, users).target)

    def _each_member(self, function: Callable[[int, Member, dict[str, Learner]], Any]) -> Any:
        trained = self._session.learners(DECODER, lambda member, prepared, trained: trained)
        results = self._session.each_member(function, trained)
        return jax.tree.map(lambda *members: np.stack(members), *results)


def logits_of(answers: dict[str, Answers]) -> dict[str, np.ndarray]:
    """Return {learner: (U, Q) logits of a click}."""
    return {name: np.asarray(each.prediction[..., 1] - each.prediction[..., 0]) for name, each in answers.items()}


def aucs_of(answers: dict[str, Answers], labels_UxQ: np.ndarray) -> dict[str, float]:
    """Return {learner: AUC} over all targets of all users."""
    return {name: auc(labels_UxQ.ravel(), logit_UxQ.ravel()) for name, logit_UxQ in logits_of(answers).items()}


def test_forms(decoder: Learner, settings: Dti) -> dict[str, Learner]:
    """Return the decoder in the two forms in which it is tested.

    SLIDING has one target per prompt. STREAMING has as many as in training; of a decoder that was trained on sliding
    windows, all targets of a stream.
    """
    assert isinstance(decoder, StreamDecoder)
    assert isinstance(settings.task, Clicks)
    targets = settings.model.targets if settings.model.targets > 1 else settings.task.num_targets
    return {SLIDING: decoder.packed(1), STREAMING: decoder.packed(targets)}


def optimal(task: Task) -> dict[str, Learner]:
    """Return the Bayes-optimal answers given the item alone, given a window, and given all earlier interactions."""
    everything = Optimal(task)
    return {ITEM: Within(everything, 0), WINDOW: Within(everything, task.num_context), ALL: everything}
