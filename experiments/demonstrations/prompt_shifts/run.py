"""`prompt_shifts`: trained decoders on prompts of other distributions than those of training [Garg22, section 5]."""

from collections.abc import Sequence
from typing import ClassVar

import jax
import numpy as np

from experiments.demonstrations.prompt_shifts import results
from experiments.demonstrations.prompt_shifts.results import DECODER, LEAST_SQUARES, NOISE
from experiments.demonstrations.prompt_shifts.settings import PromptShifts
from lab.config.compose import compose_run
from lab.config.decoder import TrainsDecoder
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.learners.every_prefix import EveryPrefix
from lab.learners.fit_per_query import LeastSquares
from lab.learners.learner import Learner
from tasks.functions.real import RealFunctions
from tasks.prompt_shift import INPUTS, PromptShift
from trainers import load_pretrained
from trainers.decoders.prefixes import answers, episodes_of, errors
from trainers.streams import Stream
from trainers.study import Part, Study, Tables


def check(settings: PromptShifts) -> None:
    """
    Raises:
        ConfigError: the experiment keeps no decoders of functions, or of such whose size under a shift is not known.
    """
    maker = compose_run(settings.command)
    if not (load_pretrained.keeps(maker, "functions") and isinstance(maker, TrainsDecoder)):
        raise ConfigError(
            f"model.experiment={settings.model.experiment}: it keeps no decoder of functions; a run of the kind "
            "functions does (of one point, where it has a grid: model.words=[grid=[]])"
        )
    if maker.task.name not in ("linear", "sparse_linear"):
        raise ConfigError(f"model: task={maker.task.name}: shifts of the prompt are of linear and sparse_linear")


def plain(model: Learner) -> Learner:
    """The decoder that has a token for each query, since these are not the context's inputs."""
    return model.inner if isinstance(model, EveryPrefix) else model


def shifts(task: RealFunctions, settings: PromptShifts) -> dict[tuple[str, float], PromptShift]:
    """{(name, value): the task under that shift}, `same` first; those with a value differ in numbers alone."""
    by_shape = {(shape, 1.0): PromptShift(task, 1.0, 1.0, 0.0, shape) for shape in INPUTS}
    inputs = {("scale of x", value): PromptShift(task, value, 1.0, 0.0) for value in settings.scales}
    functions = {("scale of f", value): PromptShift(task, 1.0, value, 0.0) for value in settings.scales}
    noise = {(NOISE, settings.noise): PromptShift(task, 1.0, 1.0, settings.noise)}
    return by_shape | inputs | functions | noise


class Shifts(Study[PromptShifts]):
    """One part per shift and seed."""

    TABLES: ClassVar = (results.SHIFTS,)
    DOING: ClassVar = "shifted prompts"

    def parts(self) -> Sequence[Part]:
        self.task = load_pretrained.task_to_test(self.settings.command, [], RealFunctions)
        self.models = load_pretrained.decoders(self.record, self.settings.command, Learner)
        self.shifts = shifts(self.task, self.settings)
        return [
            Part({results.SHIFT: shift, results.VALUE: value, results.SEED: seed})
            for shift, value in self.shifts
            for seed in self.models
        ]

    def measure(self, part: Part) -> Tables:
        shift, value, seed = part.columns.values()
        models = {DECODER: plain(self.models[seed])}
        task, key = self.shifts[shift, value], self.key(seed, Stream.test)
        return {results.SHIFTS: measured(task, models, key, self.settings.eval.episodes)}


def measured(task: PromptShift, models: dict[str, Learner], key: jax.Array, count: int) -> list[dict]:
    """Return one row of shifts.csv per learner and number of examples, all learners on the same episodes.

    Numbers of examples after which there is no query of the shift are left out.
    """
    episodes = episodes_of(task, key, count)
    asked_Q, rows = np.any(np.asarray(episodes.prompt.query.x), axis=(0, 2)), []
    for name, learner in (models | {LEAST_SQUARES: LeastSquares(TokenLayout.of(task))}).items():
        error_Q = np.mean(errors(task, answers(learner, episodes), episodes.target), axis=0)
        rows += [
            {results.LEARNER: name, results.EXAMPLES: examples, results.error.name: float(error)}
            for examples, error in enumerate(error_Q)
            if asked_Q[examples]
        ]
    return rows


run = Shifts.run_each
