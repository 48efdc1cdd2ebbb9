"""Published files: looked for where the user has them, else downloaded, always verified.

The search: `data.dir`, the directory that LAB_DATA_DIR names, the user's cache, and then the original source. In each
directory a file may lie in its data set's folder or beside it.
"""

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import tempfile
import zipfile
from collections.abc import Iterator

from tasks.datasets.table import DataError


@dataclasses.dataclass(frozen=True)
class PublishedFile:
    folder: str
    name: str
    sha256: str
    page: str  # where people find it
    url: str | None = None  # where programs do; None: it needs an account
    zipped: bool = False  # the address is that of a zip with this file in it


def locate(file: PublishedFile, directory: str | None) -> pathlib.Path:
    """The file, verified; downloaded into the user's cache where it is nowhere else.

    Raises:
        DataError: it is nowhere, or is not the published file; a download leaves nothing behind then.
    """
    import pooch

    if directory is not None and not pathlib.Path(directory).expanduser().is_dir():
        raise DataError(f"data.dir={directory}: no such directory")
    cache = pathlib.Path(pooch.os_cache("icl-gd-lab"))
    given = [pathlib.Path(place).expanduser() for place in (directory, os.environ.get("LAB_DATA_DIR")) if place]
    for place in [*given, cache]:
        for path in (place / file.folder / file.name, place / file.name):
            if path.is_file():
                verify(path, file, path)
                return path
    how = f"get it from {file.page} and put it into {given[0] if given else 'a directory, with data.dir=DIRECTORY'}"
    if file.url is None:
        raise DataError(f"{file.folder}/{file.name} is not here, and its source needs an account: {how}")
    from requests.exceptions import ConnectionError as NoConnection

    try:
        return _download(file, cache / file.folder / file.name)
    except OSError as error:
        why = f"no connection to {file.url}" if isinstance(error, NoConnection) else str(error).splitlines()[0]
        raise DataError(f"{file.folder}/{file.name} is not here and cannot be downloaded ({why}); {how}") from error


def sha256(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(path: pathlib.Path, file: PublishedFile, called: pathlib.Path | str) -> None:
    """
    Raises:
        DataError: the file at `path`, which the message calls `called`, is not the published one.
    """
    if (digest := sha256(path)) == file.sha256:
        return
    with open(path, "rb") as opened:
        page = " (it is a web page)" if opened.read(512).lstrip()[:1] == b"<" else ""
    raise DataError(
        f"{called}: not the published {file.name}{page}: its SHA-256 is {digest}, expected {file.sha256}; "
        f"get it again from {file.page}"
    )


def _download(file: PublishedFile, to: pathlib.Path) -> pathlib.Path:
    """Into a directory that disappears; the verified file alone is moved from there."""
    import pooch

    to.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=to.parent) as temporary:
        fetched = pathlib.Path(temporary) / ("archive" if file.zipped else file.name)
        with _bar(file.name) as bar:
            pooch.HTTPDownloader(progressbar=bar, timeout=30)(file.url, str(fetched), None)
        if file.zipped and zipfile.is_zipfile(fetched):
            with zipfile.ZipFile(fetched) as archive:
                try:
                    fetched = pathlib.Path(archive.extract(file.name, temporary))
                except (KeyError, zipfile.BadZipFile) as error:
                    raise DataError(f"{file.url}: no {file.name} in that archive ({error}); see {file.page}") from error
        verify(fetched, file, file.url)
        return fetched.replace(to)


@contextlib.contextmanager
def _bar(name: str) -> Iterator["_Bar"]:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    with Progress(TextColumn(f"downloading {name}"), BarColumn(), DownloadColumn()) as progress:
        yield _Bar(progress)


class _Bar:
    """The progress bar that pooch drives: it sets `total`, and ends by a reset and an update by all of it."""

    def __init__(self, progress):
        self.progress, self.task = progress, progress.add_task("", total=None)

    def __setattr__(self, name: str, value) -> None:
        if name == "total":
            self.progress.update(self.task, total=value or None)
        super().__setattr__(name, value)

    def update(self, advance: int) -> None:
        self.progress.update(self.task, advance=advance)

    def reset(self) -> None:
        self.progress.update(self.task, completed=0)

    def close(self) -> None:
        pass
