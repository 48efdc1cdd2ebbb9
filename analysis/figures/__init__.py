"""The figures, drawn from the tables of a run's or a sweep's directory alone.

A figure is a module (or any object) with

    CAPTION: str                      what it shows, in words
    draw(directory) -> Figure         a Matplotlib figure; raises NotMeasured where the tables lack something
    CLAIMS: tuple[Claim, ...] = ()    sentences that a source asserts about it, with how each is judged
    CONTROLS: tuple[Control, ...] = () what must be seen before they are judged: that models have learned. Of a figure
                                      without CLAIMS that is called as a kind, both are those of the kind's results
    NEEDS_POINTS: bool = False        True: it is drawn from the points of a sweep, not from one run
    BANDS: bool = False               True: its bands or bars are standard deviations over the seeds of a population
    KEEPS: tuple[str, ...] = ()       tables that it draws and that are kept however large, since others rest on them

of which the last five may be left out. Figures belong to the kinds (`experiments/FAMILY/KIND/`). Their modules
are imported only when a figure is used, since they import Matplotlib.
"""

import importlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.claim import OPEN, Claim, Outcome
from analysis.figures.controls import Control
from analysis.tables import extra_seeds
from lab.config.kinds import KINDS, results_of
from lab.errors import ConfigError
from lab.runs.directory import RunDirectory

FIGURES: dict[str, Any] = {"points": "analysis.figures.points"}  # for any sweep; users add figures of their own


def names() -> tuple[str, ...]:
    """Return the names of all figures, which are what `figure=NAME` allows."""
    return (*FIGURES, *(name for kind in KINDS.values() for name in kind.figures))


def register(name: str, module: Any) -> None:
    """Add a figure that a user wrote.

    Args:
        name: what `figure=NAME` calls it, and the name of its files.
        module: the module, or any object with CAPTION and draw.

    Raises:
        ConfigError: another figure has this name, or this one lacks a caption or a function that draws.
    """
    if name in names() and FIGURES.get(name) != module:
        raise ConfigError(f"figure={name}: there is a figure of this name already; choose another name")
    if missing := [each for each in ("CAPTION", "draw") if not hasattr(module, each)]:
        lacks = " and no ".join(missing)
        raise ConfigError(f"figure={name}: it has no {lacks}; a figure needs CAPTION and draw(directory)")
    FIGURES[name] = module


def load(name: str) -> Any:
    """Return the figure of this name; its module is imported here.

    Raises:
        ConfigError: there is no such figure.
    """
    if name in FIGURES:
        return importlib.import_module(FIGURES[name]) if isinstance(FIGURES[name], str) else FIGURES[name]
    for kind in KINDS.values():
        if name in kind.figures:
            return kind.load(kind.figures[name])
    raise ConfigError(f"figure={name}: no such figure; allowed: {', '.join(names())}")


def needs_points(name: str) -> bool:
    """Return whether the figure is drawn from the points of a sweep. Raises as `load`."""
    return getattr(load(name), "NEEDS_POINTS", False)


def draw(name: str, directory: RunDirectory, finding: str = "") -> None:
    """Draw the figure into `figures/NAME.png`, `.svg` and `.pdf`, and for narrow screens, its panels below one another,
    into `figures/NAME_narrow.svg`, and if that is large for a page also as `.png`.

    Args:
        finding: what is written above it; "": nothing.

    Raises:
        NotMeasured: the directory's tables lack something that it needs.
    """
    from analysis.figures import style

    style.draw_as(name, load(name).draw, directory, finding)


def claims_of(name: str) -> tuple[Sequence[Claim], Sequence[Control]]:
    """Return a figure's claims, and the controls of claims without controls of their own. Raises as `load`."""
    declares = load(name)
    if not hasattr(declares, "CLAIMS"):
        declares = results_of(name) or declares
    return getattr(declares, "CLAIMS", ()), getattr(declares, "CONTROLS", ())


def evaluate_claims(name: str, directory: RunDirectory, failed: Mapping[str, str]) -> list[dict]:
    """Return the verdicts on a figure's claims, as `summary.json` has them.

    Claims that the directory's own seeds leave open are judged with the further seeds that `decide` has added, by the
    wider intervals of its last look. Where own seeds decide a claim and all seeds together would not say the same, the
    verdict says so.

    Args:
        failed: {point: why} of the points that are not in the tables.
    """
    (claims, controls), looks = claims_of(name), extra_seeds.looks(directory)
    verdicts = []
    for claim in claims:
        verdict = claim.evaluate(directory, failed, controls)
        if verdict["outcome"] in OPEN and (row := looks.get(claim.statement)):
            tables = extra_seeds.Further(directory.path, float(row["last_seed"]))
            verdict = claim.evaluate(tables, failed, controls, float(row["confidence"]))
            verdict["repeats"] += f", looked at {float(row['looks']) + 1:g} times"
        elif looks and verdict["outcome"] not in (*OPEN, Outcome.NOT_MEASURED):
            every = claim.evaluate(extra_seeds.Further(directory.path, math.inf), failed, controls)
            if every["outcome"] != verdict["outcome"]:
                also = f", with the seeds added for other claims, {every['seeds']} in all: {every['outcome']}"
                verdict["repeats"] += also
                verdict["why" if verdict["why"] else "otherwise"] += also
        verdicts.append(verdict)
    return verdicts


def unmeasured_claims(name: str, why: str) -> list[dict]:
    """Return the claims of a figure for which there is no table at all, without a verdict but with the reason."""
    return [claim.unmeasured({claim.points: why}) for claim in claims_of(name)[0]]


def captions(directory: RunDirectory) -> dict[str, str]:
    """Return {name of a figure's file: what it shows, and what its bands mean} of the figures that a directory has."""
    from analysis.figures import circuits

    name = directory.read_summary().get("drawn")
    main = {name: f"{load(name).CAPTION} {_bands(name, directory)}".strip()} if name else {}
    return main | circuits.captions(directory)


def _bands(name: str, directory: RunDirectory) -> str:
    if not getattr(load(name), "BANDS", False):
        return ""
    seeds = directory.read_config().get("seeds", 1)
    return f"Bands and bars: one standard deviation over {seeds} seeds." if seeds > 1 else "One seed, so without bands."
