"""Zip archives of the user's, read in place: nothing is unpacked to a disk."""

import contextlib
import pathlib
import zipfile
import zlib
from collections.abc import Iterator

from tasks.datasets.files import data_file
from tasks.errors import DataError

MEMBERS, UNPACKED, RATIO = 1000, 2**33, 200  # the most members, bytes of all of them, and bytes for each packed one
SMALL = 2**20  # bytes of a member whose ratio does not matter
END = 22  # bytes of the record at the end of an archive, before a comment of at most 2^16


@contextlib.contextmanager
def opened(path: pathlib.Path, where: str) -> Iterator[zipfile.ZipFile]:
    """Open an archive whose members are few, unpack to a bounded number of bytes, and have neither password nor a path
    that leads out.

    Args:
        where: its name in messages.

    Raises:
        DataError: it is no such archive, or a member that is read meanwhile is damaged.
    """
    data_file(path, where)
    try:
        _check_count(path, where)
        with zipfile.ZipFile(path) as archive:
            _check(archive.infolist(), where)
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DataError(f"{where}: a damaged archive ({error})") from error


def _check_count(path: pathlib.Path, where: str) -> None:
    """Check how many members an archive says it has, before the list of them is read into memory."""
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - END - 2**16 - 20))
        end = file.read()
    start = end.rfind(b"PK\5\6")
    count = int.from_bytes(end[start + 10 : start + 12], "little")
    size = int.from_bytes(end[start + 12 : start + 16], "little")
    if start >= 0 and (
        count > MEMBERS or size > MEMBERS * 2**10 or end[max(0, start - 20) : start].startswith(b"PK\6\7")
    ):
        raise DataError(f"{where}: an archive of more than {MEMBERS:,} members")


def _check(members: list[zipfile.ZipInfo], where: str) -> None:
    if len(members) > MEMBERS:
        raise DataError(f"{where}: an archive of more than {MEMBERS:,} members")
    for member in members:
        name, path = member.filename, pathlib.PureWindowsPath(member.filename)
        if path.anchor or ".." in path.parts:
            raise DataError(f"{where}: its member {name!r} has a path that leads out of the archive")
        if member.flag_bits & 1:
            raise DataError(f"{where}: its member {name!r} is encrypted")
        if member.file_size > max(SMALL, RATIO * member.compress_size):
            raise DataError(f"{where}: its member {name!r} would unpack to more than {RATIO} times its size")
    if (size := sum(member.file_size for member in members)) > UNPACKED:
        raise DataError(f"{where}: it would unpack to {size:,} bytes; at most {UNPACKED >> 30} GiB")
