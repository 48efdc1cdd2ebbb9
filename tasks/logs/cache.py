"""A cache of sorted logs in `data.cache` or the user's cache, one folder per combination of source and settings."""

import contextlib
import dataclasses
import enum
import hashlib
import json
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator

from tasks.datasets.files import is_limited, sums
from tasks.errors import DataError
from tasks.logs.log import ClickLog
from tasks.logs.settings import LogData

SUMS = "SHA256SUMS"  # a log's file with the checksums of the others
VERSION = 3  # of the format of a sorted log: with another number every log is built again


@contextlib.contextmanager
def reading(path: pathlib.Path | str) -> Iterator[None]:
    """Turn errors of the operating system, raised while a source is read, into a DataError."""
    try:
        yield
    except OSError as error:
        raise DataError(f"data.path={path}: cannot be read ({error.strerror or error})") from error


def cached_log(settings: LogData, build: Callable[[pathlib.Path], None]) -> ClickLog:
    """Return the log of these settings, which `build(folder)` writes if the cache has none, or a damaged one.

    Args:
        settings: with `sha256` filled in.

    Raises:
        DataError: the log cannot be written, or is not there for words of others; or what `build` raises. Nothing is
            left behind then.
    """
    folder = _folder(settings)
    with contextlib.suppress(OSError, ValueError, KeyError):
        return _whole(folder)
    if is_limited():
        why = f"no sorted log in {folder.parent}, and none is made for a command of unknown origin"
        raise DataError(f"data.path={settings.path}: {why}")
    if folder.exists():
        print(f"{folder}: damaged, or without checksums; the log is sorted again", flush=True)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)  # a damaged one
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            finished = pathlib.Path(temporary) / "log"
            build(finished)
            (finished / SUMS).write_text(_sums(finished), encoding="utf-8")
            with contextlib.suppress(OSError):  # another process was first
                os.rename(finished, folder)
        return ClickLog.open(folder)
    except OSError as error:
        why = error.strerror or str(error).splitlines()[0]
        raise DataError(
            f"data.path={settings.path}: its sorted log cannot be kept in {folder.parent} ({why}); "
            "data.cache=DIRECTORY names another place"
        ) from error


def _whole(folder: pathlib.Path) -> ClickLog:
    """Return the log of a folder whose files are as they were written: a flipped bit would be another click.

    Raises:
        OSError, ValueError, KeyError: they are not.
    """
    expected, file = _sums(folder).encode(), folder / SUMS
    if not file.is_file() or file.stat().st_size != len(expected) or file.read_bytes() != expected:
        raise ValueError("its checksums are others")
    return ClickLog.open(folder)


def _sums(folder: pathlib.Path) -> str:
    return sums([*folder.glob("*.npy"), *folder.glob("*.json")], folder)


def _plain(value: enum.Enum | Iterable[str]) -> object:
    return value.value if isinstance(value, enum.Enum) else list(value)


def _folder(settings: LogData) -> pathlib.Path:
    import pooch

    hashed = [field.name for field in dataclasses.fields(settings) if not field.metadata.get("not_hashed")]
    key = {"version": VERSION} | {name: getattr(settings, name) for name in hashed}
    digest = hashlib.sha256(json.dumps(key, sort_keys=True, default=_plain).encode()).hexdigest()
    parent = settings.cache or pathlib.Path(pooch.os_cache("icl-gd-lab")) / "logs"
    return pathlib.Path(parent).expanduser() / f"{settings.name}-{digest[:32]}"
