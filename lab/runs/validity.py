"""Compare what is stored in a run's directory with what today's settings and today's code would make.

The directory's name is a hash of what differs from the defaults, and a default may have changed since. So before a
result, a kept training or a saved state is used, the stored values of all keys that matter are compared with today's,
and those of the runs that it started from. Code is compared too, but what other code made is only said to be so.
"""

from collections.abc import Iterable

from lab.config import multirun, settings_diff, user_code
from lab.config.base import Base
from lab.config.compose import compose_run
from lab.errors import UserError, printable
from lab.runs import provenance
from lab.runs.directory import RunDirectory
from lab.runs.environment import computed_by
from lab.runs.hosts import on_first_process
from lab.runs.provenance import PROVENANCE, name_today

FEW = 3  # files that a line names


def is_done(settings: Base) -> bool:
    """Return whether there is a finished run that these settings would make today."""
    directory = RunDirectory.of(settings)
    return directory.done and not why_other(directory, settings)


def file_needed(directory: RunDirectory) -> str:
    """Return the user's own file that a run was made with, if this process has not imported it; "" otherwise."""
    use = str(directory.read_config().get("use") or "")
    return "" if user_code.is_imported(use) else use


def settings_today(directory: RunDirectory, own_words: list[str]) -> Base:
    """Return the settings that the command of a finished run stands for today.

    No file that only the directory names is executed.

    Args:
        own_words: `use=FILE` of this command line, which is imported already, for a run that was made with a file.

    Raises:
        ConfigError: the words are not understood today.
        UserError: a file of the directory is missing or damaged.
    """
    with user_code.closed():
        words = multirun.split(str(directory.read_summary().get("command")))
        return compose_run(multirun.stored(words, own_words))


@on_first_process
def why_other(directory: RunDirectory, settings: Base, training: bool = False) -> str:
    """Return why what is there is not what these settings make today, as a part of a line; empty where it is.

    Args:
        training: whether it is about the training alone, and not about what is used after it.

    Raises:
        UserError: a file that says what made it is missing or damaged; of a training that is no error but a reason.
    """
    try:
        return _why_other(directory, settings, training)
    except UserError as error:
        if not training:
            raise
        return str(error)


def _why_other(directory: RunDirectory, settings: Base, training: bool) -> str:
    stored = settings_diff.values_in(directory.read_config(), settings)
    if own := settings_diff.why(settings_diff.changes(stored, settings, training)):
        return own
    recorded = provenance.stored(directory.path).get("starts_from")
    for place, needed in provenance.inputs(settings).items():
        past = _as_it_was(directory, place, needed) if recorded is None else recorded.get(place, {})
        if past is None:
            return f"{place}, which it starts from, was made after it"
        if theirs := settings_diff.why(settings_diff.changes(past, needed)):
            return f"of {place}, which it starts from, {theirs}"
    return ""


def _as_it_was(directory: RunDirectory, place: str, needed: Base) -> dict | None:
    """The values of a run that one without a provenance.json started from, from that run's own directory. None where
    these are of a later repetition: it has a provenance.json."""
    there = RunDirectory(directory.path.parent.parent / place)
    if (there.path / PROVENANCE).exists():
        return None
    return settings_diff.values_in(there.read_config(), needed) if (there.path / "config.yaml").exists() else {}


@on_first_process
def other_code(directory: RunDirectory, settings: Base, devices: bool = True) -> str:
    """Return a line's part that names what made the run, or had a hand in it, and is another today: files of code,
    versions, devices. Empty where there is nothing, and where it is not known what made it.

    Args:
        devices: whether today's devices are compared, too, which takes JAX.
    """
    entries = provenance.stored(directory.path)
    today = provenance.code(settings)
    new_files = today.keys() - set(map(name_today, entries.get("code", today)))
    return _others([entries, *entries.get("earlier", {}).values()], settings, devices, new_files)


def other_makers(makers: provenance.Makers, settings: Base) -> str:
    """Return the same part of a line about a saved state, by its makers."""
    return _others(makers.values(), settings)


def _others(makers: Iterable[dict], settings: Base, devices: bool = True, new_files: Iterable[str] = ()) -> str:
    code, computed = provenance.code(settings), computed_by(devices)
    for needed in provenance.inputs(settings).values():
        code = provenance.code(needed) | code
    changed, differing = {*new_files}, {}
    for maker in makers:
        changed |= {name for name, past in maker.get("code", {}).items() if code.get(name_today(name)) != past}
        differing |= {
            f"{name} {past} (now {computed[name]})": None
            for name, past in maker.get("computed_by", {}).items()
            if name in computed and computed[name] != past
        }
    return " and ".join(filter(None, (_made_by([*sorted(changed)]), _computed_with([*differing]))))


def _made_by(files: list[str]) -> str:
    more = f" and {len(files) - FEW} more" if len(files) > FEW else ""
    return printable(f"made by other code (changed since: {', '.join(files[:FEW])}{more})") if files else ""


def _computed_with(differing: list[str]) -> str:
    return printable(f"computed with {', '.join(differing)}") if differing else ""
