"""The table of experiments: what runs the points of each kind. One row gives a kind all of launching and reporting.

A kind is its settings (a row of `lab.config.kinds.KINDS`), a module or object with a function `run` (a row here), and a
figure (a row of `analysis.figures.FIGURES`).
"""

import importlib
from collections.abc import Sequence
from typing import Protocol

from lab.config.base import Base
from lab.config.kinds import kind_of, register_kind
from lab.learners.learner import Learner


class Experiment(Protocol):
    """Settings in, tables out."""

    def run(self, records: Sequence) -> None:
        """Run points that `Base.together` has grouped, and write what each leaves into its `trainers.record.Record`.

        A record that fails alone gets a `failure`; an exception stands for all of them.
        """

    def check(self, settings: Base) -> None:
        """Refuse settings (ConfigError) by what code alone knows, before anything is written. May be left out."""

    def learners(self, settings: Base) -> dict[str, Learner]:
        """The structures of the learners that such a run keeps, as `jax.eval_shape` gives them. Only a kind whose runs
        others start from has this function."""


EXPERIMENTS: dict[str, str | Experiment] = {
    "comparison": "trainers.experiments.comparison.experiment",
    "speed": "trainers.experiments.speed.speed",
    "dual_form": "trainers.experiments.dual_form.experiment",
    "retrieval_cost": "trainers.experiments.retrieval_cost",
    "decoder_speed": "trainers.experiments.decoder_speed.experiment",
    "softmax_dual": "trainers.experiments.softmax_dual.experiment",
    "decoder": "trainers.experiments.decoder.experiment",
    "icl_vs_finetune": "trainers.experiments.icl_vs_finetune.experiment",
    "deep_thinking": "trainers.experiments.deep_thinking.experiment",
    "demonstration_choice": "trainers.experiments.demonstration_choice.experiment",
    "momentum_attention": "trainers.experiments.momentum_attention.experiment",
    "demonstrations": "trainers.experiments.demonstrations.experiment",
    "recommend": "trainers.experiments.recommend.experiment",
    "recommend_log": "trainers.experiments.recommend.of_log",
    "prompt_text": "trainers.experiments.prompt_text",
    "dti": "trainers.experiments.dti.experiment",
    "click_log": "trainers.experiments.click_log.experiment",
    "functions": "trainers.experiments.functions.experiment",
    "task_diversity": "trainers.experiments.task_diversity.experiment",
    "prompt_shifts": "trainers.experiments.prompt_shifts",
    "more_steps": "trainers.experiments.more_steps",
    "dti_cost": "trainers.experiments.dti_cost.experiment",
    "dti_reach": "trainers.experiments.dti_reach.experiment",
}


def experiment_of(settings: Base) -> Experiment:
    """What runs settings of this kind; its module is imported here."""
    entry = EXPERIMENTS[kind_of(settings)]
    return importlib.import_module(entry) if isinstance(entry, str) else entry


def register(name: str, settings: type[Base], experiment: Experiment) -> None:
    """Add a kind of your own: a dataclass of settings, and an object (or module) with a function `run(records)`.

    Raises:
        ConfigError: the name is taken.
    """
    register_kind(name, settings)
    EXPERIMENTS[name] = experiment
