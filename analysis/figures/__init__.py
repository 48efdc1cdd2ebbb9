"""A file a figure; each is drawn from the tables of a run's directory alone."""

from lab.run_directory import RunDirectory


def draw(name: str, directory: RunDirectory) -> None:
    """Draw the figure into `figures/name.png` and `.pdf`. Matplotlib is imported here, where it is used."""
    from analysis.figures import depth, fig1, style, training

    figures = {"training": training.draw, "fig1": fig1.draw, "depth": depth.draw}
    with style.paper():
        style.save(figures[name](directory), directory, name)
