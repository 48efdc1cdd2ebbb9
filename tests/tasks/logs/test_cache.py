"""Sorted logs are kept, and made anew where they are not whole."""

import os

import numpy as np
import pytest

from tasks.datasets.files import reading_at_most
from tasks.errors import DataError
from tasks.logs import csv_log
from tests.tasks.logs.test_csv_log import GOOD, read_text, settings_of


@pytest.fixture
def built(monkeypatch):
    """How often a log has been made."""
    times, build = [], csv_log._build
    monkeypatch.setattr(csv_log, "_build", lambda *arguments: (times.append(1), build(*arguments)))
    return times


def test_a_log_is_made_once(tmp_path, built):
    first, again = (read_text(tmp_path, GOOD) for _ in range(2))
    assert len(built) == 1
    np.testing.assert_array_equal(first.features, again.features)
    assert (first.notes, first.starts, first.boundaries) == (again.notes, again.starts, again.boundaries)
    assert isinstance(again.features, np.memmap)
    assert not again.features.flags.writeable


def test_another_file_or_choice_is_another_log(tmp_path, built):
    folders = {read_text(tmp_path, GOOD).folder, read_text(tmp_path, GOOD + "u1,99,1,c1,b1\n").folder}
    folders |= {
        read_text(tmp_path, GOOD, features=["brand"]).folder,
        read_text(tmp_path, GOOD, label_at_least=1).folder,
    }
    assert len(folders) == len(built) == 4
    assert {*(tmp_path / "cache").iterdir()} == folders, "nothing else is left there"


DAMAGE = {
    "cut": lambda content: content[:-1],
    "empty": lambda content: b"",
    "a bit": lambda content: content[:-2] + bytes([content[-2] ^ 1]) + content[-1:],
}


@pytest.mark.parametrize(
    "name", ["features.npy", "label.npy", "time.npy", "bounds.npy", "log.json", "tokens.json", "SHA256SUMS"]
)
@pytest.mark.parametrize("damage", ["gone", *DAMAGE])
def test_a_damaged_log_is_made_anew(name, damage, tmp_path, built, capsys):
    log = read_text(tmp_path, GOOD)
    features, tokens = np.array(log.features), log.tokens()
    path = log.folder / name
    content = path.read_bytes()
    path.unlink()
    if damage != "gone":
        path.write_bytes(DAMAGE[damage](content))
    assert not capsys.readouterr().out
    again = read_text(tmp_path, GOOD)
    np.testing.assert_array_equal(again.features, features)
    assert again.tokens() == tokens
    assert len(built) == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert line == f"{log.folder}: damaged, or without checksums; the log is sorted again"


def test_nothing_is_written_for_words_of_others(tmp_path, built):
    """A log that is there is read."""
    with reading_at_most(10**6), pytest.raises(DataError, match="none is made for a command of unknown origin"):
        read_text(tmp_path, GOOD)
    assert not built
    assert not (tmp_path / "cache").exists()
    log = read_text(tmp_path, GOOD)
    with reading_at_most(10**6):
        assert read_text(tmp_path, GOOD).folder == log.folder
        (log.folder / "SHA256SUMS").unlink()
        os.mkfifo(log.folder / "SHA256SUMS")
        with pytest.raises(DataError, match="unknown origin"):
            read_text(tmp_path, GOOD)
    assert log.folder.exists()


def test_two_processes_that_make_it_at_once(tmp_path, monkeypatch):
    build = csv_log._build

    def slow(of, folder):
        build(of, folder)
        monkeypatch.setattr(csv_log, "_build", build)
        csv_log.read(settings_of(tmp_path))  # another is done first

    monkeypatch.setattr(csv_log, "_build", slow)
    assert len(read_text(tmp_path, GOOD).label) == 20
    assert len([*(tmp_path / "cache").iterdir()]) == 1


def test_no_place_to_keep_it(tmp_path):
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(DataError, match=r"cannot be kept in .*cache .*data\.cache=DIRECTORY") as error:
        read_text(tmp_path, GOOD)
    assert "\n" not in str(error.value)


def test_the_user_s_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert read_text(tmp_path, GOOD, cache=None).folder.parent == tmp_path / "user" / "icl-gd-lab" / "logs"
