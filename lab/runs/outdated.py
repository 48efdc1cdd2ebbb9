"""Finished runs that their commands would not make today: `python run.py runs stale`, one line each. No JAX.

First come runs whose settings mean something else today, then runs made by other code, then runs that are not checked.
A run with a user's own file (`use=FILE`) is checked only if the command line has the same `use=FILE`: no file named
only in a run's directory is ever executed.
"""

import pathlib

from lab.config import user_code
from lab.config.experiments import finished
from lab.config.identity import config_hash
from lab.errors import explain, printable
from lab.runs import validity
from lab.runs.directory import RunDirectory
from tasks.datasets.files import OF_OTHERS, reading_at_most

GROUPS = ("with other settings", "made by other code", "not checked")  # in this order
SETTINGS, CODE, UNCHECKED = GROUPS


class _ReadOnce(RunDirectory):
    """A directory whose settings are read from its file once, as several comparisons ask for them."""

    def __init__(self, path: pathlib.Path):
        super().__init__(path)
        self._config: dict | None = None

    def read_config(self) -> dict:
        if self._config is None:
            self._config = super().read_config()
        return self._config


def print_stale(folder: str, own_words: list[str]) -> None:
    """Print one line per outdated run below a folder, then their numbers. A run is outdated if its command would make
    another result today.

    Args:
        folder: a run.dir.
        own_words: `use=FILE` of this command line, which is imported already.
    """
    lines: dict[str, list[str]] = {group: [] for group in GROUPS}
    paths = sorted(path for experiment in pathlib.Path(folder).glob("*") for path in finished(experiment))
    with reading_at_most(OF_OTHERS):
        for path in paths:
            group, why = _state(path, own_words)
            if group:
                lines[group].append(printable(f"{path}: {why}"))
    for group in GROUPS:
        print(*lines[group], sep="\n", end="\n" if lines[group] else "")
    counts = ", ".join(f"{len(lines[group])} {group}" for group in GROUPS)
    print(f"{len(paths)} finished runs in {folder}: {counts}")


def why_stale(path: pathlib.Path, own_words: list[str]) -> str:
    """Return the reason why a finished run is outdated, by its settings or by code; "" if it is up to date or not
    checked.

    Args:
        path: the run's directory.
        own_words: see `print_stale`.
    """
    group, why = _state(path, own_words)
    return printable(why) if group in (SETTINGS, CODE) else ""


def _state(path: pathlib.Path, own_words: list[str]) -> tuple[str, str]:
    """The group of an outdated run and the reason; two empty texts for a run that is up to date."""
    try:
        with user_code.closed(), reading_at_most(OF_OTHERS):
            return _compared(_ReadOnce(path), own_words)
    except Exception as error:  # the directory may be damaged, or somebody else's
        line = explain(error) or f"{type(error).__name__}: {error}"
        return UNCHECKED, f"not checked ({line})"


def _compared(directory: RunDirectory, own_words: list[str]) -> tuple[str, str]:
    if use := validity.file_needed(directory):
        return UNCHECKED, f"not checked, as it was made with use={use}; add the word to check it"
    settings = validity.settings_today(directory, own_words)
    if why := validity.why_other(directory, settings):
        return SETTINGS, why
    other, name = validity.other_code(directory, settings, devices=False), config_hash(settings)
    if name != directory.path.name and not (settings.use and other):  # the user's own file is part of the name
        return SETTINGS, f"the same settings are called {name} today"
    return (CODE, other) if other else ("", "")
