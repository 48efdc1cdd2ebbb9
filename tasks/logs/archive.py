"""Zip archives of the user's, read in place: nothing is unpacked to a disk."""

import contextlib
import pathlib
import zipfile
import zlib
from collections.abc import Iterator

from tasks.datasets.files import data_file
from tasks.errors import DataError


@contextlib.contextmanager
def opened(path: pathlib.Path, where: str) -> Iterator[zipfile.ZipFile]:
    """Open an archive whose members have no password.

    Args:
        where: its name in messages.

    Raises:
        DataError: it is no such archive, or a member that is read meanwhile is damaged.
    """
    data_file(path, where)
    try:
        with zipfile.ZipFile(path) as archive:
            if encrypted := [member.filename for member in archive.infolist() if member.flag_bits & 1]:
                raise DataError(f"{where}: its member {encrypted[0]!r} is encrypted")
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DataError(f"{where}: a damaged archive ({error})") from error
