"""Files that are whole: each is written under a temporary name and then renamed."""

import contextlib
import os
import pathlib
from collections.abc import Iterator


@contextlib.contextmanager
def whole(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield a temporary path to write to; at the end of the `with` block the file is renamed to `path`.

    The content is on disk before the file has its name, so that it is whole after a power failure too.
    """
    temporary = path.with_name(f".{path.name}")
    temporary.unlink(missing_ok=True)
    open(temporary, "xb").close()
    try:
        yield temporary
        sync(temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def sync(path: pathlib.Path) -> None:
    """Wait until a file, or the list of a folder's files, is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write(path: pathlib.Path, text: str) -> None:
    """Write a text file whole."""
    with whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
