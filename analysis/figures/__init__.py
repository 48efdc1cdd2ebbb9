"""A file a figure; each is drawn from the tables of a run's directory alone, and says in words what it shows."""

from types import ModuleType

from lab.config.choices import Figure
from lab.runs.directory import RunDirectory


def draw(which: Figure, directory: RunDirectory) -> None:
    """Draw the figure into `figures/NAME.png` and `.pdf`, and for a run's directory what is inside the trained
    Transformer."""
    from analysis.figures import circuits, style

    with style.paper():
        style.save(_modules()[which].draw(directory), directory, which.name)
        circuits.draw(directory)


def captions(directory: RunDirectory) -> dict[str, str]:
    """{stem of its file: what it shows, and what its bands mean} of the figures that a directory has."""
    from analysis.figures import circuits

    which = directory.read_summary()["figure"]
    of_the_run = {which: f"{_modules()[Figure[which]].CAPTION} {_bands(directory)}".strip()}
    return of_the_run | circuits.captions(directory)


def _bands(directory: RunDirectory) -> str:
    config = directory.read_config()
    if config["figure"] == Figure.benchmark.name:
        return ""
    seeds = config["population"]["seeds"]
    return f"Bands and bars: one standard deviation over {seeds} seeds." if seeds > 1 else "One seed, so without bands."


def _modules() -> dict[Figure, ModuleType]:
    """Matplotlib is imported here, where it is used."""
    from analysis.figures import (
        benchmark,
        by_documents,
        by_normalization,
        depth,
        fig1,
        fig2,
        rag_retrieve,
        shift,
        sweep,
        tabular,
        training,
    )

    return {
        Figure.training: training,
        Figure.shift: shift,
        Figure.sweep: sweep,
        Figure.fig1: fig1,
        Figure.fig2: fig2,
        Figure.fig3: by_documents,
        Figure.fig5: by_documents,
        Figure.fig4: by_normalization,
        Figure.fig6: by_normalization,
        Figure.tabular: tabular,
        Figure.depth: depth,
        Figure.benchmark: benchmark,
        Figure.rag_retrieve: rag_retrieve,
    }
