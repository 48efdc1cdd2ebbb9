"""The formats of MovieLens, in small files that the tests make up."""

import csv
import pathlib
import zipfile

import numpy as np
import pytest

from tasks.datasets.files import reading_at_most
from tasks.errors import DataError
from tasks.logs import archive, movielens, movielens_files
from tasks.logs.movielens_files import GENRES, fill_in
from tasks.logs.settings import Movielens, MovielensItems
from tests.tasks.logs.streams import sorted_log, told_by

FILMS = {  # number: (title, genres)
    1: ("Café Müller (1994)", "Comedy|Drama"),
    2: ("Zwölf: Stühle (1989)", "Drama"),
    3: ("A Film, without a Year", "Action|Animation|Children's|Sci-Fi|Thriller|War"),
    4: ("Seven Genres (2000)", "Action|Comedy|Crime|Drama|Horror|Musical|War"),
    5: ("(500) Days (1999) ", "(no genres listed)"),
    6: ("Rarely Rated (1950)", "Western"),
}
DECADES = {1: "1990s", 2: "1980s", 3: None, 4: "2000s", 5: "1990s", 6: "1950s"}
FORMS = {  # how each release is written: ratings, films, what is between cells, encoding of the films
    "100k": ("u.data", "u.item", "\t", "latin-1"),
    "1m": ("ratings.dat", "movies.dat", "::", "latin-1"),
    "10m": ("ratings.dat", "movies.dat", "::", "utf-8"),
    "latest": ("ratings.csv", "movies.csv", ",", "utf-8"),
    "25m": ("ratings.csv", "movies.csv", ",", "utf-8-sig"),
}


def ratings(count=120, seed=0):
    """(user, film, rating, time), unsorted, each with a time of its own; film 6 four times."""
    rng = np.random.default_rng(seed)
    films = rng.permutation([6] * 4 + rng.integers(1, 6, count - 4).tolist()).tolist()
    users, stars = (rng.integers(1, size, count).tolist() for size in (12, 11))
    times = (978_300_000 + rng.permutation(3 * count)[:count]).tolist()
    return [(u, film, r / 2, t) for film, u, r, t in zip(films, users, stars, times, strict=True)]


def write_folder(folder: pathlib.Path, rows, films=FILMS, form="1m") -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    name, film_name, between, encoding = FORMS[form]
    head = ["userId,movieId,rating,timestamp"] if between == "," else []
    (folder / name).write_text("".join(line + "\n" for line in [*head, *(between.join(map(str, r)) for r in rows)]))
    with open(folder / film_name, "w", encoding=encoding, newline="") as file:
        if film_name == "movies.csv":
            csv.writer(file).writerows([("movieId", "title", "genres"), *((n, *film) for n, film in films.items())])
        for number, (title, genres) in films.items() if film_name != "movies.csv" else ():
            flags = [str(int(genre in genres.split("|"))) for genre in GENRES]
            flags[0] = str(int("(" in genres))
            cells = [str(number), title, genres] if between == "::" else [str(number), title, "", "", "http", *flags]
            file.write({"::": "::", "\t": "|"}[between].join(cells) + "\n")
    return folder


def packed(folder: pathlib.Path, inside="ml-x/") -> pathlib.Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for each in sorted(folder.iterdir()):
            file.write(each, f"{inside}{each.name}")
        file.writestr(f"{inside}README", "terms")
    return path


def settings_of(tmp_path, path, **options):
    return Movielens(path=str(path), cache=str(tmp_path / "cache"), **options)


TITLES = {
    1: ("café", "müller"),
    2: ("zwölf", "stühle"),
    3: ("a", "film", "without", "a", "year"),
    4: ("seven", "genres"),
    5: ("500", "days"),
}


def expected(rows, at_least, words, has_films=True):
    """(u, time, label, features) as `sorted_log` has them; genres share a column, so one is known in every place."""
    kept = [row for row in rows if row[1] != 6]

    def features(film):
        if not has_films:
            return (None,) * 7 + (str(film),) + (None,) * words
        genres = [genre for genre in FILMS[film][1].split("|") if "(" not in genre][:6]
        title = [*TITLES[film], *[None] * words][:words]
        return (*genres, *[None] * (6 - len(genres)), DECADES[film], str(film), *title)

    return sorted_log(
        [(user, time, int(rating >= at_least), features(film)) for user, film, rating, time in kept],
        (0,) * 6 + (1, 2) + (3,) * words,
    )


def check_log(log, rows, *choice):
    number = {user: i for i, user in enumerate(sorted({row[0] for row in rows if row[1] != 6}))}
    assert told_by(log) == [(number[user], *rest) for user, *rest in expected(rows, *choice)]


@pytest.mark.parametrize(
    ("form", "at_least", "words"), [*((form, 4, 3) for form in FORMS), ("1m", 2.5, 0), ("1m", 4, 5)]
)
def test_a_log_is_what_plain_python_makes_of_it(form, at_least, words, tmp_path, monkeypatch):
    """Of a folder, of one that has it, of a file and of an archive, and however many lines are read at a time."""
    rows = ratings()
    folder = write_folder(tmp_path / "here" / "ml-x", rows, form=form)
    places = [folder, folder.parent, folder / FORMS[form][0], packed(folder), packed(folder, "")]
    logs = [movielens.read(settings_of(tmp_path, each, label_at_least=at_least, words=words)) for each in places]
    assert len({log.folder for log in logs}) == 1, "one log is kept of all"
    monkeypatch.setattr(movielens_files, "BLOCK", 7)
    for number, place in enumerate([places[0], places[-1]]):
        options = {"label_at_least": at_least, "words": words, "cache": str(tmp_path / f"cache{number}")}
        logs.append(movielens.read(Movielens(path=str(place), **options)))
    for log in logs:
        check_log(log, rows, at_least, words)
        assert log.columns == (("genre", "decade", "film", "word") if words else ("genre", "decade", "film"))
        assert log.columns[log.slots[log.item]] == "film"
        assert ("of 1 films with more than 3 words the first 3 are taken" in log.notes) == (words == 3)
        assert "1 films with fewer than 5 ratings are left out, and their 4 ratings" in log.notes
        assert "of 1 films with more than 6 genres the first 6 are taken" in log.notes
        assert "Western" not in log.tokens()


def test_ratings_alone_are_a_log(tmp_path):
    rows = ratings()
    folder = write_folder(tmp_path / "u", rows, form="100k")
    (folder / "u.item").unlink()
    log = movielens.read(settings_of(tmp_path, folder / "u.data", words=2))
    check_log(log, rows, 4, 2, False)
    assert "u.item is not beside u.data: no genres and decades" in log.notes
    assert {*movielens.read_items(MovielensItems(path=str(folder / "u.data"))).names} == {f"[{n}]" for n in range(1, 6)}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("at_least", [None, 3.5])
def test_items_are_what_plain_python_makes_of_them(form, at_least, tmp_path):
    rows = ratings()
    folder = write_folder(tmp_path / "ml", rows, form=form)
    taken = movielens.read_items(MovielensItems(path=str(packed(folder)), label_at_least=at_least, fewest=5))
    kept = [row for row in rows if row[1] != 6 and (at_least is None or row[2] >= at_least)]
    by_user: dict[int, list] = {}
    for user, film, _, _ in sorted(kept, key=lambda row: (row[0], row[3])):
        by_user.setdefault(user, []).append(f"{FILMS[film][0].strip()} [{film}]")
    cuts = zip(taken.starts[:-1], taken.starts[1:], strict=True)
    assert [[taken.names[i] for i in taken.items[a:b]] for a, b in cuts] == [by_user[user] for user in sorted(by_user)]


def test_the_order_of_the_file_tells_nothing(tmp_path):
    """Of each user all ratings have one time, and the file has them by the number of the film."""
    rows = [(user, film, 4 + film % 2, user) for user in range(1, 101) for film in range(1, 11)]
    films = {film: (f"Film {film}", "Drama") for film in range(1, 11)}
    folder = write_folder(tmp_path / "ml-1m", rows, films)
    taken = movielens.read_items(MovielensItems(path=str(folder)))
    log = movielens.read(settings_of(tmp_path, folder, label_at_least=5))
    for items in (taken.items, log.features[:, log.item]):
        upwards = np.mean(np.diff(np.asarray(items).reshape(100, 10), axis=1) > 0)
        assert abs(upwards - 0.5) < 0.06, "900 steps, of standard error .01 in random orders; 1 in the file's"
    assert [note for note in (*taken.notes, *log.notes) if "random order" in note]


GOOD = ratings()
WRONG = {
    "another film": ([*GOOD, (1, 99, 4, 5)], FILMS, r"ratings\.dat has film 99, and movies\.dat has not"),
    "a cell too few": ([*GOOD, (1, 1, 4)], FILMS, r"ratings\.dat: line 121 is not user::film::rating::time"),
    "a cell too many": ([*GOOD, (1, 1, 4, 5, 6)], FILMS, "line 121 is not"),
    "a cell between": ([*GOOD, (1, "1:2:3", 4, 5)], FILMS, "line 121 is not"),
    "a rating of text": ([*GOOD, (1, 1, "good", 5)], FILMS, "line 121 is not"),
    "a rating of none": ([*GOOD, (1, 1, "nan", 5)], FILMS, "line 121 is not"),
    "a rating of six": ([(1, 1, 6, 5), *GOOD], FILMS, "line 1 is not"),
    "a user of text": ([*GOOD, ("u1", 1, 4, 5)], FILMS, "line 121 is not"),
    "a time beyond 64 bits": ([*GOOD, (1, 1, 4, 2**63)], FILMS, "line 121 is not"),
    "a title in two": (
        GOOD,
        FILMS | {7: ("A::B (1990)", "Drama")},
        r"movies\.dat: line 7 is not MovieID::Title::Genres",
    ),
    "no ratings": ([], FILMS, "0 interactions"),
    "no films": (GOOD, {}, r"ratings\.dat has film \d, and movies\.dat has not"),
    "rare films alone": (GOOD[:4], FILMS, "0 interactions"),
    "one class": ([(u, film, 5, t) for u, film, _, t in GOOD], FILMS, "every label of the training interactions is 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_one_clear_line(case, tmp_path):
    rows, films, told = WRONG[case]
    folder = write_folder(tmp_path / "ml-1m", rows, films)
    refused(settings_of(tmp_path, folder), told)
    assert not [*tmp_path.glob("cache/*")]


def refused(settings, told):
    with pytest.raises(DataError, match=told) as error:
        movielens.read(settings)
    assert "\n" not in str(error.value)


def test_wrong_tables_of_other_releases_are_one_clear_line(tmp_path):
    folder = write_folder(tmp_path / "a", [*GOOD, (1, 1, "x", 1)], form="latest")
    refused(settings_of(tmp_path, folder), r"ratings\.csv: line 122 is not userId,movieId,rating,timestamp")
    (folder / "ratings.csv").write_text("user,film\n1,2\n")
    refused(settings_of(tmp_path, folder), r"ratings\.csv: line 1 is not userId,movieId,rating,timestamp")
    write_folder(folder, GOOD, form="100k")
    refused(settings_of(tmp_path, folder), r"more than one release .*\(a/ratings\.csv, a/u\.data\); name one of them")
    (folder / "u.item").write_text("1|Film|x\n")
    refused(settings_of(tmp_path, folder / "u.data"), r"u\.item: line 1 is not movie id\|movie title")


@pytest.mark.parametrize(
    ("path", "told"), [("", r"data\.path=FILE"), ("nowhere", "no such file or folder"), (".", r"it has no u\.data")]
)
def test_no_files(path, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(settings_of(tmp_path, path), rf"{told}.*https://grouplens\.org")
    (tmp_path / "log.csv").write_text("a,b\n1,2\n")
    refused(settings_of(tmp_path, "log.csv"), "neither a zip archive nor called u.data .* data=click_csv reads other")


def damaged(path: pathlib.Path) -> None:
    content = bytearray(path.read_bytes())
    at = content.index(b"ratings.dat") + 40
    content[at : at + 20] = bytes(20)
    path.write_bytes(content)


def encrypted(path: pathlib.Path) -> None:
    """Set the flag of the first member in the list at the archive's end."""
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(content)


def with_member(name: str, content: bytes = b""):
    def add(path: pathlib.Path) -> None:
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
            file.writestr(name, content)

    return add


def many(path: pathlib.Path) -> None:
    with zipfile.ZipFile(path, "a") as file:
        for number in range(archive.MEMBERS):
            file.writestr(str(number), b"")


HOSTILE = {
    "a bomb": (with_member("ml-x/zeros", bytes(2**24)), "'ml-x/zeros' would unpack to more than 200 times its size"),
    "a path that leads out": (with_member("../u.data"), r"'\.\./u\.data' has a path that leads out"),
    "a path from the root": (with_member("/etc/u.data"), "has a path that leads out"),
    "a path of Windows": (with_member("a\\..\\..\\u.data"), "has a path that leads out"),
    "a password": (encrypted, "'ml-x/movies.dat' is encrypted"),
    "many members": (many, "more than 1,000 members"),
    "damage": (damaged, "a damaged archive"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:-30]), "neither a zip archive nor called"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_an_archive_that_could_harm_is_one_line(case, tmp_path):
    path = packed(write_folder(tmp_path / "ml", GOOD))
    change, told = HOSTILE[case]
    change(path)
    before = sorted(tmp_path.rglob("*"))
    refused(settings_of(tmp_path, path), told)
    assert sorted(tmp_path.rglob("*")) == before, "nothing is unpacked"


def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    path = packed(write_folder(tmp_path / "ml", GOOD))
    monkeypatch.setattr(archive, "UNPACKED", 1000)
    refused(settings_of(tmp_path, path), "would unpack to [0-9,]+ bytes; at most")
    monkeypatch.undo()
    with reading_at_most(1000):
        refused(settings_of(tmp_path, path), "too many for a command of unknown origin")


def test_the_files_are_part_of_the_name_of_the_run(tmp_path):
    result = []
    for seed in (0, 0, 1):
        settings = settings_of(tmp_path, write_folder(tmp_path / str(len(result)), ratings(seed=seed)))
        fill_in(settings)
        result.append(settings.sha256)
    assert result[0] == result[1] != result[2]
