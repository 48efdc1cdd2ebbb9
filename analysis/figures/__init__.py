"""A file a figure; each is drawn from the tables of a run's directory alone."""

from lab.choices import Figure
from lab.run_directory import RunDirectory


def draw(which: Figure, directory: RunDirectory) -> None:
    """Draw the figure into `figures/NAME.png` and `.pdf`. Matplotlib is imported here, where it is used."""
    from analysis.figures import depth, fig1, style, training

    figures = {Figure.training: training.draw, Figure.fig1: fig1.draw, Figure.depth: depth.draw}
    with style.paper():
        style.save(figures[which](directory), directory, which.name)
