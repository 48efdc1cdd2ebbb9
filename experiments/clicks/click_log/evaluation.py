"""A decoder measured on a log: on the validation split while it is trained, and at the end on every test target.

Each evaluation answers the same targets: sliding, one a prompt; streaming, as many a prompt as in training.
"""

import types
from collections.abc import Callable, Mapping
from typing import ClassVar

import jax
import numpy as np

from experiments.clicks.click_log.prompts import NONE, Prompts, in_order
from experiments.clicks.click_log.session import DECODER, LogSession
from experiments.clicks.click_log.settings import ClickLogRun
from experiments.clicks.click_log.training import PART, Batch, click_logits
from experiments.clicks.metrics import log_loss
from experiments.clicks.tables import SLIDING, STREAMING, curve_rows
from lab.learners.stream_decoder import StreamDecoder
from tasks.logs.log import ClickLog

AT_A_TIME = 16 * PART  # interactions, of all seeds, on an accelerator


class Evaluator:
    """Evaluates the decoders of a session as they are now. Every number that it gives has the seeds in front."""

    SUBJECT: ClassVar[str] = SLIDING
    rates: Mapping[str, str] = types.MappingProxyType({})

    def __init__(self, session: LogSession, settings: ClickLogRun, log: ClickLog):
        self._session, self._log, self._model = session, log, settings.model
        prompts = self._prompts("validation", STREAMING)
        most = max(1, settings.eval.targets // settings.model.targets)
        indices = np.unique(np.linspace(0, len(prompts) - 1, min(most, len(prompts))).astype(np.int64))
        self._validation = prompts.rows(indices)

    @property
    def evaluations(self) -> tuple[str, ...]:
        """The names of the evaluations; of a decoder that was trained on sliding windows both are the same."""
        return (SLIDING, STREAMING) if self._model.targets > 1 else (SLIDING,)

    def curve(self) -> dict:
        """{"loss": {evaluation: {"mean": (P,), "left_out": (P,)}}} of validation targets, spread over all users;
        `decoder` is what a loss that is not a finite number is looked for in."""
        label = self._log.label[self._validation]
        losses = {name: log_loss(label, self.logits("validation", name)) for name in self.evaluations}
        losses |= {DECODER: losses[SLIDING]}
        return {
            "loss": {
                name: {"mean": loss.mean(axis=1), "left_out": np.zeros(len(loss), int)} for name, loss in losses.items()
            }
        }

    def rows(self, step: int, seeds: list[int], losses: dict[str, np.ndarray], results: dict) -> list[dict]:
        """Return one row of the curves per seed."""
        return curve_rows(step, seeds, losses, {"loss": {name: results["loss"][name] for name in self.evaluations}})

    def batches(self, split: str) -> int:
        """Return how often `logits` calls `advance`, for all evaluations of a split."""
        return sum(-(-len(self._prompts(split, name)) // self._batch_size(name)) for name in self.evaluations)

    def logits(self, split: str, evaluation: str, advance: Callable[[], None] = lambda: None) -> np.ndarray:
        """(P, R): the logit of a click on each target, in the order of rows: of the test split on all of them, of the
        validation split on those of the curves."""
        prompts = self._prompts(split, evaluation)
        indices, expected = np.arange(len(prompts)), targets_of(self._log, split)
        if split == "validation":
            indices, expected = np.unique(prompts.of(self._validation)), self._validation
        parts, rows = [], []
        for places in in_order(len(indices), self._batch_size(evaluation)):
            chosen = np.where(places == NONE, NONE, indices[places])
            batch = Batch(**prompts.batch(chosen))
            name, decoders = ("answer", evaluation), self._session.trained[DECODER]
            logits_PxBxk = np.asarray(self._session.programs.run("evaluate", name, answer, decoders, batch))
            rows.append(prompts.rows(chosen))
            parts.append(logits_PxBxk[:, np.asarray(batch.is_target)])
            advance()
        if not np.array_equal(np.concatenate(rows), expected):
            raise RuntimeError(f"the {evaluation} prompts of the {split} split do not hold each of its targets once")
        return np.concatenate(parts, axis=1)

    def _prompts(self, split: str, evaluation: str) -> Prompts:
        return Prompts(self._log, split, self._model.num_context, self._targets(evaluation))

    def _targets(self, evaluation: str) -> int:
        return 1 if evaluation == SLIDING else self._model.targets

    def _batch_size(self, evaluation: str) -> int:
        most = PART if jax.default_backend() == "cpu" else AT_A_TIME
        return max(1, most // (self._session.size * (self._model.num_context + self._targets(evaluation))))


def targets_of(log: ClickLog, split: str) -> np.ndarray:
    """The rows of all targets of a split, user after user."""
    prompts = Prompts(log, split, 0, 1)
    return prompts.rows(np.arange(len(prompts)))


def answer(decoders: StreamDecoder, batch: Batch) -> jax.Array:
    """(P, B, k): the logit of a click, of each decoder in the same prompts of k targets."""
    return jax.vmap(lambda decoder: click_logits(decoder.packed(batch.is_target.shape[-1]), batch))(decoders)
