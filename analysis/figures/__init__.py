"""The figures, one file each, drawn from the tables of a run's or a sweep's directory alone.

A figure is a module (or any object) with

    CAPTION: str                      what it shows, in words
    draw(directory) -> Figure         a Matplotlib figure; raises NotMeasured where the tables lack something
    CLAIMS: tuple[Claim, ...] = ()    sentences that a source asserts about it, with how each is judged
    NEEDS_POINTS: bool = False        it is drawn of the points of a sweep, not of one run
    BANDS: bool = False               its bands or bars are standard deviations over the seeds of a population

of which the last three may be left out. Modules are imported where they are used: they import Matplotlib.
"""

import importlib
from collections.abc import Mapping
from typing import Any

from lab.errors import ConfigError
from lab.runs.directory import RunDirectory

FIGURES: dict[str, Any] = {
    "training": "analysis.figures.training",
    "shift": "analysis.figures.shift",
    "points": "analysis.figures.points",
    "sweep": "analysis.figures.sweep",
    "fig1": "analysis.figures.fig1",
    "fig2": "analysis.figures.fig2",
    "fig3": "analysis.figures.fig3",
    "fig4": "analysis.figures.fig4",
    "fig5": "analysis.figures.fig5",
    "fig6": "analysis.figures.fig6",
    "depth": "analysis.figures.depth",
    "rag_retrieve": "analysis.figures.rag_retrieve",
    "speed": "analysis.figures.speed",
    "dual_form": "analysis.figures.dual_form",
    "retrieval_cost": "analysis.figures.retrieval_cost",
    "decoder_speed": "analysis.figures.decoder_speed",
    "softmax_dual": "analysis.figures.softmax_dual",
    "decoder": "analysis.figures.decoder",
    "icl_vs_finetune": "analysis.figures.icl_vs_finetune",
    "deep_thinking": "analysis.figures.deep_thinking",
    "demonstration_choice": "analysis.figures.demonstration_choice",
    "demonstration_choice_classes": "analysis.figures.demonstration_choice_classes",
    "momentum_attention": "analysis.figures.momentum_attention",
    "demonstrations": "analysis.figures.demonstrations",
    "recommend": "analysis.figures.recommend",
    "recommend_log": "analysis.figures.recommend_log",
    "prompt_text": "analysis.figures.prompt_text",
    "dti_run": "analysis.figures.dti_run",
    "dti_cost": "analysis.figures.dti_cost",
    "dti_reach": "analysis.figures.dti_reach",
    "dti": "analysis.figures.dti",
    "dti_ablation": "analysis.figures.dti_ablation",
    "dti_worlds": "analysis.figures.dti_worlds",
    "click_log": "analysis.figures.click_log",
    "functions": "analysis.figures.functions",
    "functions_linear": "analysis.figures.functions_linear",
    "functions_sparse": "analysis.figures.functions_sparse",
    "functions_network": "analysis.figures.functions_network",
    "functions_tree": "analysis.figures.functions_tree",
    "curriculum": "analysis.figures.curriculum",
    "prompt_shifts": "analysis.figures.prompt_shifts",
    "task_diversity": "analysis.figures.task_diversity",
    "task_diversity_run": "analysis.figures.task_diversity_run",
    "interleaved": "analysis.figures.interleaved",
    "sine": "analysis.figures.sine",
    "softmax_heads": "analysis.figures.softmax_heads",
    "layer_norm": "analysis.figures.layer_norm",
    "stacks": "analysis.figures.stacks",
    "more_steps": "analysis.figures.more_steps",
    "momentum_regression": "analysis.figures.momentum_regression",
}


def names() -> tuple[str, ...]:
    """All that `figure=NAME` allows."""
    return tuple(FIGURES)


def register(name: str, module: Any) -> None:
    """Add a figure of one's own.

    Args:
        name: what `figure=NAME` calls it, and the name of its files.
        module: the module, its dotted name, or any object with CAPTION and draw.

    Raises:
        ConfigError: another figure has this name.
    """
    if FIGURES.get(name, module) != module:
        raise ConfigError(f"figure={name}: there is a figure of this name already; choose another name")
    FIGURES[name] = module


def load(name: str) -> Any:
    """The figure of this name.

    Raises:
        ConfigError: there is none.
    """
    if name not in FIGURES:
        raise ConfigError(f"figure={name}: no such figure; allowed: {', '.join(FIGURES)}")
    figure = FIGURES[name]
    return importlib.import_module(figure) if isinstance(figure, str) else figure


def needs_points(name: str) -> bool:
    """Whether the figure is of a sweep's points. Raises as `load`."""
    return getattr(load(name), "NEEDS_POINTS", False)


def draw(name: str, directory: RunDirectory) -> None:
    """Draw the figure into `figures/NAME.png` and `.pdf`, and for narrow screens, its panels below one another, into
    `figures/NAME_narrow.png`.

    Raises:
        NotMeasured: the directory's tables lack something that it needs.
    """
    from analysis.figures import style

    style.draw_as(name, load(name).draw, directory)


def evaluate_claims(name: str, directory: RunDirectory, failed: Mapping[str, str]) -> list[dict]:
    """The verdicts on a figure's claims. `failed`: {point: why} of those that are not in the tables."""
    return [claim.evaluate(directory, failed) for claim in getattr(load(name), "CLAIMS", ())]


def unmeasured_claims(name: str, why: str) -> list[dict]:
    """The claims of a figure of which there is no table at all, and why."""
    return [claim.unmeasured({claim.points: why}) for claim in getattr(load(name), "CLAIMS", ())]


def captions(directory: RunDirectory) -> dict[str, str]:
    """{name of a figure's file: what it shows, and what its bands mean} of the figures that a directory has."""
    from analysis.figures import circuits

    drawn = directory.read_summary().get("drawn")
    main = {drawn: f"{load(drawn).CAPTION} {_bands(drawn, directory)}".strip()} if drawn else {}
    return main | circuits.captions(directory)


def _bands(name: str, directory: RunDirectory) -> str:
    if not getattr(load(name), "BANDS", False):
        return ""
    seeds = directory.read_config().get("population", {}).get("seeds", 1)
    return f"Bands and bars: one standard deviation over {seeds} seeds." if seeds > 1 else "One seed, so without bands."
