"""`prompt_shifts`: trained decoders on prompts of other distributions than those of training [Garg22, section 5]."""

from collections.abc import Sequence

import jax
import numpy as np

from experiments.prompt_shifts.settings import PromptShifts
from lab.config.compose import compose_run
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.learners.every_prefix import EveryPrefix
from lab.learners.learner import Learner
from lab.learners.least_squares import LeastSquares
from lab.runs import console, interrupt
from tasks.functions.real import RealFunctions
from tasks.prompt_shift import INPUTS, PromptShift
from trainers import starting
from trainers.decoders.prefixes import answers, episodes_of, errors
from trainers.record import Record
from trainers.streams import Stream


def run(records: Sequence[Record]) -> None:
    """Write the table `shifts`, one row per seed, shift, learner and number of examples, and headline numbers.

    Raises:
        UserError: there is no trained decoder, or a directory cannot be written.
    """
    for record in records:
        settings: PromptShifts = record.settings
        task, rows = starting.task_of(settings.model, []), []
        models = starting.decoders(record, settings.model)
        with console.busy("shifted prompts"):
            for (shift, value), shifted in shifts(task, settings).items():
                for seed, model in models.items():
                    interrupt.check()
                    rows += [
                        {"shift": shift, "value": value, "seed": seed} | row
                        for row in measured(shifted, {"decoder": plain(model)}, seed, settings.episodes)
                    ]
        record.table("shifts", rows)
        record.numbers(numbers(rows, 2 * task.input_dim))


def check(settings: PromptShifts) -> None:
    """
    Raises:
        ConfigError: the experiment keeps no decoders of functions, or of such whose size under a shift is not known.
    """
    maker = compose_run(settings.model.command)
    if not starting.keeps(maker, "functions"):
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
    noise = {("noise", settings.noise): PromptShift(task, 1.0, 1.0, settings.noise)}
    return by_shape | inputs | functions | noise


def measured(task: PromptShift, models: dict[str, Learner], seed: int, count: int) -> list[dict]:
    """One row per learner and number of examples, all learners on the same episodes. Numbers of examples after which
    there is no such query are left out."""
    episodes = episodes_of(task, jax.random.fold_in(jax.random.key(seed), Stream.validation), count)
    asked_Q, rows = np.asarray(episodes.prompt.query.x).any(axis=(0, 2)), []
    for name, learner in (models | {"least_squares": LeastSquares(TokenLayout.of(task))}).items():
        error_Q = np.mean(errors(task, answers(learner, episodes), episodes.target), axis=0)
        rows += [
            {"learner": name, "examples": examples, "error": float(error)}
            for examples, error in enumerate(error_Q)
            if asked_Q[examples]
        ]
    return rows


def numbers(rows: list[dict], examples: int) -> dict[str, float]:
    """The decoder's error under each shift with so many examples, or the most that it has; means over seeds."""
    values: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        if row["learner"] == "decoder" and row["examples"] <= examples:
            name = row["shift"] if row["value"] == 1 else f"{row['shift']} {row['value']:.0%}"
            values.setdefault(name, {}).setdefault(row["examples"], []).append(row["error"])
    return {f"error.{name}": float(np.mean(by_count[max(by_count)])) for name, by_count in values.items()}
