"""Refusal of links, pipes and devices in a run's directory, which may come from somebody else.

A symbolic link inside it could lead anywhere, and drawing the run again would read or overwrite the files there. The
directory itself and the folders above it may be the user's own links, such as `runs` on a larger disk.
"""

import os
import pathlib
from collections.abc import Iterator

from lab.errors import UserError, printable

OF_OTHERS = {"tensorboard", "wandb"}  # folders that other software writes and the lab never reads


def refuse_links(directory: pathlib.Path) -> None:
    """Check that everything in a directory is a regular file or a folder. A missing directory passes.

    Raises:
        UserError: something is a link, or neither a file nor a folder; the message names it.
    """
    if not directory.is_dir():
        return
    for entry in _entries(directory):
        place = printable(os.path.relpath(entry.path, directory))
        if entry.is_symlink():
            raise UserError(f"{directory}: {place} is a symbolic link; put the file itself there, or remove the link")
        if not entry.is_dir(follow_symlinks=False) and not entry.is_file(follow_symlinks=False):
            raise UserError(f"{directory}: {place} is neither a file nor a folder; remove it")


def _entries(directory: pathlib.Path) -> Iterator[os.DirEntry]:
    """Yield the entries of a directory and of its folders, in the order of the names."""
    waiting = [str(directory)]
    while waiting:
        with os.scandir(waiting.pop()) as content:
            entries = sorted(content, key=lambda entry: entry.name)
        for entry in entries:
            yield entry
            if entry.is_dir(follow_symlinks=False) and entry.name not in OF_OTHERS:
                waiting.append(entry.path)
