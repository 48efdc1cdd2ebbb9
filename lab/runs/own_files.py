"""The list of the files of a run's directory that the lab has written: it removes no others.

Their names are the lines of `.written`. Where other software chooses names, as in saved states, the list has a pattern
for each folder. Folders are removed if they are empty then, so a file of the user's stays wherever it is.
"""

import contextlib
import os
import pathlib
import re
import shutil
from collections.abc import Iterator

from lab.runs import safe_read

WRITTEN = ".written"
TRACKER = ".tracker"  # a finished run may get a tracker's folder in it

# Saved states of earlier versions, by orbax and tensorstore.
EARLIER = (
    r"\d+(?:\.orbax-checkpoint-tmp[^/]*)?/(?:[^/]+/)*"
    r"(?:_[A-Z_]+|_sharding|metadata|commit_success\.txt|process_\d+|manifest\.ocdbt.*|[0-9a-f]{32}[^/]*)"
)
STATES = rf"\.?\d+\.(?:npz|sha256)|{EARLIER}"
PARTS = rf"\.?identity\.json|\.?[\w.=-]+-[0-9a-f]{{8}}\.(?:json|npz)|[\w.=-]+-[0-9a-f]{{8}}/(?:{STATES})"
TENSORBOARD = r"seed_\d+/events[^/]*"
WANDB = r"offline-run-[^/]+/(?:run-[^/]+\.wandb|(?:files|logs|tmp)/.+)|cache/.+|debug[^/]*\.log"
TRACKERS = {"tensorboard": TENSORBOARD, "wandb": WANDB}
GENERATED = {  # {folder: pattern of the lab's files below it}
    "checkpoints": STATES,
    "partial": PARTS,
    TRACKER: "|".join(f"{name}/(?:{pattern})" for name, pattern in TRACKERS.items()),
} | TRACKERS


def note(directory: pathlib.Path, name: str) -> None:
    """Add a file to the list; to be called before the file is written."""
    if name not in names(directory):
        write(directory / WRITTEN, "".join(f"{line}\n" for line in [*_lines(directory), name]))


def unshare(path: pathlib.Path) -> None:
    """Replace a hard link by a copy, so that lines appended to the file appear under no other name."""
    if path.is_file() and path.stat().st_nlink > 1:
        with whole(path) as temporary:
            shutil.copyfile(path, temporary)


@contextlib.contextmanager
def whole(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield a temporary path to write to; at the end of the `with` block the file is renamed to `path`.

    A link by either name is replaced, and not followed. The content is on disk before the file has its name, so that it
    is whole after a power failure too.
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


def names(directory: pathlib.Path) -> list[str]:
    """Return the files that may be removed: those on the list that are in the directory or in a folder of it."""
    parts_of = {name: pathlib.PurePosixPath(name).parts for name in _lines(directory) if name and "\0" not in name}
    return [
        name
        for name, parts in parts_of.items()
        if len(parts) <= 2 and not {"..", "/"} & {*parts} and all(len(os.fsencode(part)) <= 255 for part in parts)
    ]


def _lines(directory: pathlib.Path) -> list[str]:
    """The lines of the list, which may be somebody else's; [] if it is missing, a link, or not readable."""
    return (safe_read.text(directory / WRITTEN) or "").splitlines()


def matching(folder: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    """Return the files below a folder whose paths from it match a pattern. Links to folders are not followed."""
    if folder.is_symlink():
        return []
    files = (pathlib.Path(parent, name) for parent, _, files in os.walk(folder) for name in files)
    return sorted(file for file in files if re.fullmatch(pattern, file.relative_to(folder).as_posix()))


def remove(folder: pathlib.Path, pattern: str) -> None:
    """Remove the files below a folder whose paths from it match a pattern, then the folders that are empty, itself
    too."""
    for file in matching(folder, pattern):
        file.unlink(missing_ok=True)
    remove_empty(folder)


def move(folder: pathlib.Path, place: pathlib.Path, pattern: str) -> None:
    """Move the files below a folder whose paths from it match a pattern into another folder. No file is replaced there:
    if a name is taken, the moved file's name gets `.old` appended.
    """
    for file in matching(folder, pattern):
        target = place / file.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        file.rename(_free(target))


def _free(path: pathlib.Path) -> pathlib.Path:
    """Return the path with as many `.old` appended as make it a new one."""
    while os.path.lexists(path):
        path = path.with_name(f"{path.name}.old")
    return path


def remove_empty(folder: pathlib.Path) -> None:
    """Remove the empty folders in a folder, and the folder itself if it is empty then."""
    if not folder.is_symlink():
        for parent, _, _ in os.walk(folder, topdown=False):
            with contextlib.suppress(OSError):  # the folder is not empty
                pathlib.Path(parent).rmdir()


def clear(directory: pathlib.Path) -> None:
    """Remove the files on the list. Those whose names have patterns stay."""
    for name in names(directory):
        file = directory / name
        if not file.parent.is_symlink():
            file.unlink(missing_ok=True)
            file.with_name(f".{file.name}").unlink(missing_ok=True)  # left where it was killed while it wrote
    for name in (WRITTEN, f".{WRITTEN}"):
        (directory / name).unlink(missing_ok=True)


def remove_all(directory: pathlib.Path) -> None:
    """Remove all that the lab has written in a directory, and the directory if nothing of the user's is in it."""
    folders = {(directory / name).parent for name in names(directory)} - {directory}
    clear(directory)
    for folder, pattern in GENERATED.items():
        remove(directory / folder, pattern)
    for folder in folders | {directory / "figures"}:
        remove_empty(folder)
    with contextlib.suppress(OSError):  # it is missing, or has a file of the user's
        directory.rmdir()


def replaced(directory: pathlib.Path) -> pathlib.Path:
    """Return the path of an earlier result between its replacement and its removal."""
    return directory.with_name(f".{directory.name}.replaced")  # a name that no user gives to a copy


def replace(directory: pathlib.Path, new: pathlib.Path) -> None:
    """Rename a finished run's directory `new` to `directory`. Of an earlier directory of that name the lab's files are
    removed, and the user's files moved into the new one. After a kill at any moment the same call does the rest.
    """
    old = replaced(directory)
    if (new / "DONE").exists():
        if directory.exists():
            merge(old, directory)
            directory.rename(old)
        sync(new)
        new.rename(directory)
        sync(directory.parent)
    merge(old, directory)


def merge(old: pathlib.Path, directory: pathlib.Path) -> None:
    """Remove the lab's files of an earlier result, and move the user's files into the directory."""
    if old.is_dir() and not old.is_symlink():
        remove_all(old)
        move(old, directory, ".+")
        remove_empty(old)
