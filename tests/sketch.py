"""Figures without pictures: they are made as far as their panels and lines, and one pixel is saved. Laying them out and
drawing them takes a fifth of a tiny run."""

import base64
import contextlib
import pathlib
from collections.abc import Callable, Iterator
from unittest import mock

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
def sketched(drawn: Drawn = nothing) -> Iterator[None]:
    from analysis.figures import style

    def sketching(real: Callable, *suffixes: str) -> Callable:
        def save(figure, directory: RunDirectory, name: str) -> None:
            if drawn(directory, name):
                return real(figure, directory, name)
            folder = directory.path / "figures"
            folder.mkdir(exist_ok=True)
            for suffix in suffixes:
                directory.note(f"figures/{name}.{suffix}")
                (folder / f"{name}.{suffix}").write_bytes(PIXEL)

        return save

    with (
        mock.patch.object(style, "save", sketching(style.save, "png", "pdf")),
        mock.patch.object(style, "save_image", sketching(style.save_image, "png")),
    ):
        yield
