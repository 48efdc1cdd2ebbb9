"""The list of the files of a run's directory that the lab has written: it removes no others.

Their names are the lines of `.written`. A repetition of a finished run (`run.force=true`) is made in `.again`, a folder
of the run's directory, and replaces the earlier result when it is done; until then the earlier result stays.
"""

import pathlib
import shutil

WRITTEN = ".written"
AGAIN = ".again"
MOVING = ".moving"  # a file in it: the earlier result has been removed, the new files are being moved
FOLDERS = ("checkpoints", "tensorboard", "wandb")
# The lab's files in a directory that an earlier version of the lab has written, which kept no list.
NAMES = ("config.yaml", "environment.json", "metrics.jsonl", "summary.json", "report.html", "report.md", "FAILED")


def note(directory: pathlib.Path, name: str) -> None:
    """Add a file to the list; to be called before the file is written."""
    if name not in names(directory):
        with open(directory / WRITTEN, "a", encoding="utf-8") as file:
            file.write(f"{name}\n")


def names(directory: pathlib.Path) -> list[str]:
    """Return the files that may be removed: those on the list that are in the directory or in a folder of it."""
    if not (directory / WRITTEN).is_file():
        return []
    lines = (directory / WRITTEN).read_text(encoding="utf-8", errors="replace").splitlines()
    parts_of = {name: pathlib.PurePosixPath(name).parts for name in lines if name}
    return [name for name, parts in parts_of.items() if len(parts) <= 2 and not {"..", "/"} & {*parts}]


def clear(directory: pathlib.Path, but: str = "") -> None:
    """Remove the files on the list, except the one called `but`."""
    if not (directory / WRITTEN).exists() and (directory / "summary.json").exists():
        (directory / WRITTEN).write_text("\n".join(NAMES) + "\n", encoding="utf-8")
    for name in names(directory):
        if name != but:
            (directory / name).unlink(missing_ok=True)
    (directory / WRITTEN).unlink(missing_ok=True)
    if but:
        note(directory, but)


def is_repeated(directory: pathlib.Path) -> bool:
    """Return whether a repetition is done but was killed before it had replaced the earlier result."""
    return (directory / AGAIN / "DONE").exists()


def take_place(directory: pathlib.Path) -> None:
    """Replace the earlier result by a repetition that is done. After a kill at any moment the same call does the
    rest."""
    again, moving = directory / AGAIN, directory / AGAIN / MOVING
    (directory / "DONE").unlink(missing_ok=True)
    if not moving.exists():
        clear(directory)
        for folder in FOLDERS:
            shutil.rmtree(directory / folder, ignore_errors=True)
        moving.touch()
    for path in sorted(path for path in again.rglob("*") if path.is_file() and path.name not in ("DONE", MOVING)):
        place = directory / path.relative_to(again)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)
    (again / "DONE").replace(directory / "DONE")
    shutil.rmtree(again)
