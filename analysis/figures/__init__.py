"""A file a figure; each is drawn from the tables of a run's directory alone."""

from lab.choices import Figure
from lab.run_directory import RunDirectory


def captions(directory: RunDirectory) -> dict[str, str]:
    """{name of a figure's file: what it shows, in words} of the pictures of what is inside the trained Transformer."""
    from analysis.figures import inside

    return inside.captions(directory)


def draw(which: Figure, directory: RunDirectory) -> None:
    """Draw the figure into `figures/NAME.png` and `.pdf`, and for a run's directory what is inside the trained
    Transformer. Matplotlib is imported here, where it is used."""
    from analysis.figures import (
        benchmark,
        by_documents,
        by_normalization,
        depth,
        fig1,
        fig2,
        inside,
        rag_retrieve,
        shift,
        style,
        sweep,
        tabular,
        training,
    )

    figures = {
        Figure.training: training.draw,
        Figure.shift: shift.draw,
        Figure.sweep: sweep.draw,
        Figure.fig1: fig1.draw,
        Figure.fig2: fig2.draw,
        Figure.fig3: by_documents.draw,
        Figure.fig5: by_documents.draw,
        Figure.fig4: by_normalization.draw,
        Figure.fig6: by_normalization.draw,
        Figure.tabular: tabular.draw,
        Figure.depth: depth.draw,
        Figure.benchmark: benchmark.draw,
        Figure.rag_retrieve: rag_retrieve.draw,
    }
    with style.paper():
        style.save(figures[which](directory), directory, which.name)
        inside.draw(directory)
