"""Figures without pictures: they are made as far as their panels and lines, and one pixel is saved. Laying them out and
drawing them takes a fifth of a tiny run."""

import base64
import contextlib
import functools
import pathlib
from collections.abc import Callable, Iterator, Sequence
from unittest import mock

import matplotlib

from lab.runs.directory import RunDirectory

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
Drawn = Callable[[RunDirectory, str], bool]  # (directory, name of a figure) -> whether it is drawn


def nothing(directory: RunDirectory, name: str) -> bool:
    return False


def once() -> Drawn:
    """Each figure is drawn for the first directory that has it."""
    directories: dict[str, pathlib.Path] = {}
    return lambda directory, name: directories.setdefault(name, directory.path) == directory.path


@contextlib.contextmanager
def small() -> Iterator[None]:
    """Every figure is drawn, but those of circuits, with few pixels and as PNG and SVG; its PDF is a pixel."""
    from analysis.figures import style

    real = style.paper

    class OnePixel:
        def __init__(self, figure):
            pass

        def print_pdf(self, path: pathlib.Path, **options) -> None:
            path.write_bytes(PIXEL)

    @contextlib.contextmanager
    def paper() -> Iterator[None]:
        with real(), matplotlib.rc_context({"figure.dpi": 20}):
            yield

    with (
        sketched(lambda _, name: not name.startswith("circuits")),
        mock.patch.object(style, "paper", paper),
        mock.patch.object(style, "FigureCanvasPdf", OnePixel),
    ):
        yield


@contextlib.contextmanager
def sketched(drawn: Drawn = nothing) -> Iterator[None]:
    from analysis.figures import style

    real = getattr(style.save, "__wrapped__", style.save)  # not what an outer `sketched` has put in its place

    @functools.wraps(real)
    def save(figure, directory: RunDirectory, name: str, forms: Sequence[str] = ("svg", "png", "pdf")) -> None:
        if drawn(directory, name):
            return real(figure, directory, name, forms)
        (directory.path / "figures").mkdir(exist_ok=True)
        for suffix in {*forms} - {"svg"}:
            with directory.whole(f"figures/{name}.{suffix}") as path:
                path.write_bytes(PIXEL)

    with mock.patch.object(style, "save", save):
        yield
