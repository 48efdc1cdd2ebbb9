"""Which files of a run's directory the lab has written: it removes no others.

Their names are the lines of `.written`. A repetition of a finished run (`run.force=true`) is made in `.again`, a folder
of the run's directory, and takes the place of the earlier result when it is done: until then that one stays.
"""

import pathlib
import shutil

WRITTEN = ".written"
AGAIN = ".again"
MOVING = ".moving"  # in it: of the earlier result nothing is left
FOLDERS = ("checkpoints", "tensorboard", "wandb")
# Of a directory that an earlier version of the lab has written, without a list.
NAMES = ("config.yaml", "environment.json", "metrics.jsonl", "summary.json", "report.html", "report.md", "FAILED")


def note(directory: pathlib.Path, name: str) -> None:
    """Add a file, before it is written."""
    if name not in names(directory):
        with open(directory / WRITTEN, "a", encoding="utf-8") as file:
            file.write(f"{name}\n")


def names(directory: pathlib.Path) -> list[str]:
    """Of the files that may be removed: those on the list that are in the directory or in a folder of it."""
    if not (directory / WRITTEN).is_file():
        return []
    lines = (directory / WRITTEN).read_text(encoding="utf-8", errors="replace").splitlines()
    inside = {name: pathlib.PurePosixPath(name).parts for name in lines if name}
    return [name for name, parts in inside.items() if len(parts) <= 2 and not {"..", "/"} & {*parts}]


def clear(directory: pathlib.Path, but: str = "") -> None:
    """Remove them, all or all but one."""
    if not (directory / WRITTEN).exists() and (directory / "summary.json").exists():
        (directory / WRITTEN).write_text("\n".join(NAMES) + "\n", encoding="utf-8")
    for name in names(directory):
        if name != but:
            (directory / name).unlink(missing_ok=True)
    (directory / WRITTEN).unlink(missing_ok=True)
    if but:
        note(directory, but)


def is_repeated(directory: pathlib.Path) -> bool:
    """Whether a repetition is done and has not taken its place: it was killed just then."""
    return (directory / AGAIN / "DONE").exists()


def take_place(directory: pathlib.Path) -> None:
    """Let a repetition that is done take the place of the earlier result. After a kill at any moment the same call does
    what is left."""
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
