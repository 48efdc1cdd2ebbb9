"""Comparison of a stored run with the run that today's settings and today's code would make.

The directory's name is a hash of the settings that differ from their defaults, and a default may have changed since. So
before a result, a training or a saved state is used again, the stored values of all keys that results depend on are
compared with today's, for the run and for its inputs. Code is compared too, but a run made by other code is only
reported.
"""

from collections.abc import Iterable, Mapping

from lab.config import multirun, user_code
from lab.config.base import Base
from lab.config.compose import compose_run
from lab.config.identity import hashed, shown, values
from lab.errors import UserError, printable
from lab.runs import provenance
from lab.runs.directory import RunDirectory
from lab.runs.environment import computed_by
from lab.runs.hosts import on_first_process

FEW = 3  # most files that a message names
LONGEST = 40  # most characters shown of a value
ABSENT = object()


def is_done(settings: Base) -> bool:
    """Return whether these settings have a finished run that they would also make today."""
    directory = RunDirectory.of(settings)
    return directory.done and not why_other(directory, settings)


def file_needed(directory: RunDirectory) -> str:
    """Return the user's own file that a run was made with, if this process has not imported it; else ""."""
    use = str(directory.read_config().get("use") or "")
    return "" if user_code.is_imported(use) else use


def settings_today(directory: RunDirectory, own_words: list[str]) -> Base:
    """Return the settings that the command of a finished run stands for today.

    No file that only the directory names is executed.

    Args:
        own_words: `use=FILE` of this command line, if any; the file is imported already.

    Raises:
        ConfigError: the stored command is not understood today.
        UserError: a file of the directory is missing or damaged.
    """
    with user_code.closed():
        words = multirun.split(str(directory.read_summary().get("command")))
        return compose_run(multirun.stored(words, own_words))


@on_first_process
def why_other(directory: RunDirectory, settings: Base, training: bool = False) -> str:
    """Return the reason, as a phrase, why a stored run is not the one that these settings make today; "" if it is.

    Args:
        training: whether only the training counts, and not settings that are used after it.

    Raises:
        UserError: a file of settings or provenance is missing or damaged. For a training this is a reason, no error.
    """
    try:
        return _why_other(directory, settings, training)
    except UserError as error:
        if not training:
            raise
        return str(error)


def _why_other(directory: RunDirectory, settings: Base, training: bool) -> str:
    stored = _values_in(directory.read_config(), settings)
    if own := _difference(stored, settings, training):
        return own
    recorded = provenance.stored(directory.path).get("starts_from", {})
    for place, needed in provenance.inputs(settings).items():
        if theirs := _difference(recorded.get(place, {}), needed):
            return f"of {place}, which it starts from, {theirs}"
    return ""


def _values_in(config: Mapping, settings: Base) -> dict[str, object]:
    """Return {key: value} from the sections of a stored config.yaml, for all of today's keys that it has."""
    stored = {key: _value(config, key, settings) for key in values(settings)}
    return {key: value for key, value in stored.items() if value is not ABSENT}


def _difference(stored: Mapping[str, object], settings: Base, training: bool = False) -> str:
    """Return a phrase that names the first key whose value differs today, and the number of others; "" if none differs.

    Args:
        stored: {key: value}. A key that is missing there (older code did not know it) had today's default; one that
            there is no longer is ignored.
        settings: today's.
        training: whether only the training counts, and not what is used after it.
    """
    late = "after_training" if training else None
    pairs = [(each, stored.get(each.key, each.default)) for each in hashed(settings) if not each.metadata.get(late)]
    differing = [(each, past) for each, past in pairs if past != each.value]
    if not differing:
        return ""
    (first, past), more = differing[0], len(differing) - 1
    besides = "" if not more else ", and another key" if more == 1 else f", and {more} other keys"
    return f"{first.key} was {_short(past)} and is {_short(first.value)} today{besides}"


def _value(config: Mapping, key: str, settings: Base) -> object:
    node: object = config
    for part in key.split("."):
        if not isinstance(node, Mapping) or part not in node:
            return ABSENT
        node = node[part]
    if key in settings.GROUPS and isinstance(node, Mapping):
        return node.get("name", ABSENT)
    return node


def _short(value: object) -> str:
    text = shown(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


@on_first_process
def other_code(directory: RunDirectory, settings: Base, devices: bool = True) -> str:
    """Return a phrase that names the makers of a run that differ today: files of code, versions, devices. "" if there
    are none, or if the makers are not known.

    Args:
        devices: whether to compare today's devices too, which imports JAX.
    """
    entries = provenance.stored(directory.path)
    today = provenance.code(settings)
    new_files = today.keys() - entries.get("code", today).keys()
    return _others([entries, *entries.get("earlier", {}).values()], settings, devices, new_files)


def other_makers(makers: provenance.Makers, settings: Base) -> str:
    """Return the phrase of `other_code` for a saved state, by its makers."""
    return _others(makers.values(), settings)


def _others(makers: Iterable[dict], settings: Base, devices: bool = True, new_files: Iterable[str] = ()) -> str:
    code, computed = provenance.code(settings), computed_by(devices)
    for needed in provenance.inputs(settings).values():
        code = provenance.code(needed) | code
    changed, differing = {*new_files}, {}
    for maker in makers:
        changed |= {name for name, past in maker.get("code", {}).items() if code.get(name) != past}
        differing |= {
            f"{name} {past} (now {computed[name]})": None
            for name, past in maker.get("computed_by", {}).items()
            if name in computed and computed[name] != past
        }
    files, more = sorted(changed)[:FEW], f" and {len(changed) - FEW} more" if len(changed) > FEW else ""
    by_code = [f"made by other code (changed since: {', '.join(files)}{more})"] if files else []
    return printable(" and ".join([*by_code, *([f"computed with {', '.join(differing)}"] if differing else [])]))
