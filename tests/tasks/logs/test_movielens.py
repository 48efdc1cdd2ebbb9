"""MovieLens-1M's format, in small files that the tests write."""

import hashlib
import pathlib
import zipfile

import numpy as np
import pytest

from tasks.datasets.files import PublishedFile
from tasks.errors import DataError
from tasks.logs import movielens
from tasks.logs.settings import Movielens
from tests.tasks.logs.streams import sorted_log, told_by

FILMS = {  # number: (title, genres)
    1: ("Café Müller (1994)", "Comedy|Drama"),
    2: ("Zwölf: Stühle (1989)", "Drama"),
    3: ("A Film without a Year", "Action|Animation|Children's|Sci-Fi|Thriller|War"),
    4: ("Seven Genres (2000)", "A|B|C|D|E|F|G"),
    5: ("(500) Days (1999) ", "(no genres listed)"),
    6: ("Rarely Rated (1950)", "Western"),
}
DECADES = {1: "1990s", 2: "1980s", 3: None, 4: "2000s", 5: "1990s", 6: "1950s"}


def ratings(count=120, seed=0):
    """(user, film, rating, time), unsorted, with equal times; film 6 four times."""
    rng = np.random.default_rng(seed)
    films = rng.permutation([6] * 4 + rng.integers(1, 6, count - 4).tolist()).tolist()
    columns = (rng.integers(1, size, count).tolist() for size in (12, 6, 50))
    return [(u, film, r, 978_300_000 + t) for film, u, r, t in zip(films, *columns, strict=True)]


def write_folder(folder: pathlib.Path, rows, films=FILMS) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{number}::{title}::{genres}\n" for number, (title, genres) in films.items()]
    (folder / "movies.dat").write_bytes("".join(lines).encode("latin-1"))
    (folder / "ratings.dat").write_text("".join("::".join(map(str, row)) + "\n" for row in rows))
    return folder


def settings_of(tmp_path, path, **options):
    return Movielens(path=str(path), cache=str(tmp_path / "cache"), **options)


TITLES = {
    1: ("café", "müller"),
    2: ("zwölf", "stühle"),
    3: ("a", "film", "without", "a", "year"),
    4: ("seven", "genres"),
    5: ("500", "days"),
}


def expected(rows, at_least, words):
    """(u, time, label, features) as `sorted_log` has them; genres share a column, so one is known in every place."""
    kept = [row for row in rows if row[1] != 6]

    def features(film):
        genres = [genre for genre in FILMS[film][1].split("|") if "(" not in genre][:6]
        title = [*TITLES[film], *[None] * words][:words]
        return (*genres, *[None] * (6 - len(genres)), DECADES[film], *title)

    return sorted_log(
        [(user, time, int(rating >= at_least), features(film)) for user, film, rating, time in kept],
        (0,) * 6 + (1,) + (2,) * words,
    )


@pytest.mark.parametrize(("at_least", "words"), [(4, 0), (3, 0), (4, 3), (4, 5)])
@pytest.mark.parametrize("inside", ["", "ml-1m"])
def test_a_log_is_what_plain_python_makes_of_it(at_least, words, inside, tmp_path):
    rows = ratings()
    write_folder(tmp_path / "here" / inside, rows)
    log = movielens.read(settings_of(tmp_path, tmp_path / "here", label_at_least=at_least, words=words))
    number = {user: i for i, user in enumerate(sorted({row[0] for row in rows if row[1] != 6}))}
    assert told_by(log) == [(number[user], *rest) for user, *rest in expected(rows, at_least, words)]
    assert log.columns == (("genre", "decade", "word") if words else ("genre", "decade"))
    assert log.features.shape == (116, 7 + words)
    assert ("of 1 films with more than 3 words the first 3 are taken" in log.notes) == (words == 3)
    assert "1 films with fewer than 5 ratings are left out, and their 4 ratings" in log.notes
    assert "of 1 films with more than 6 genres the first 6 are taken" in log.notes
    assert movielens.UNCHECKED in log.notes
    assert "Western" not in log.tokens()


def test_the_archive_is_the_same_as_its_folder(tmp_path, monkeypatch):
    folder = write_folder(tmp_path / "ml-1m", ratings())
    path = tmp_path / "some.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("ratings.dat", "movies.dat"):
            archive.write(folder / name, f"ml-1m/{name}")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    published = movielens.ARCHIVE
    monkeypatch.setattr(movielens, "ARCHIVE", PublishedFile("movielens", "ml-1m.zip", digest, published.page))
    first = movielens.read(settings_of(tmp_path, path))
    assert movielens.UNCHECKED not in first.notes
    assert movielens.read(settings_of(tmp_path, folder)).folder == first.folder, "one log is kept of both"
    monkeypatch.setattr(movielens, "ARCHIVE", published)
    with pytest.raises(
        DataError, match=r"not the published ml-1m\.zip: its SHA-256 is .* expected a6898adb50b9"
    ) as error:
        movielens.read(settings_of(tmp_path, path))
    assert "\n" not in str(error.value)


def test_the_published_checksum():
    """From the archive's page of checksums, by way of the issue that asks for this."""
    assert movielens.ARCHIVE.sha256 == "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20"


GOOD = ratings()
WRONG = {
    "another film": ([*GOOD, (1, 99, 4, 5)], FILMS, r"ratings\.dat: line 121: movies\.dat has no '99'"),
    "a part too few": ([*GOOD, (1, 1, 4)], FILMS, r"ratings\.dat: line 121 is not UserID::MovieID::Rating::Timestamp"),
    "a rating of text": ([*GOOD, (1, 1, "good", 5)], FILMS, "line 121 is not"),
    "a rating of none": ([*GOOD, (1, 1, "nan", 5)], FILMS, "line 121 is not"),
    "a rating of six": ([*GOOD, (1, 1, 6, 5)], FILMS, "line 121 is not"),
    "a time beyond 64 bits": ([*GOOD, (1, 1, 4, 2**63)], FILMS, "line 121 is not"),
    "a title in two": (
        GOOD,
        FILMS | {7: ("A::B (1990)", "Drama")},
        r"movies\.dat: line 7 is not MovieID::Title::Genres",
    ),
    "no ratings": ([], FILMS, "0 interactions"),
    "no films": (GOOD, {}, r"movies\.dat has no"),
    "rare films alone": (GOOD[:4], FILMS, "0 interactions"),
    "one class": ([(u, film, 5, t) for u, film, _, t in GOOD], FILMS, "every label of the training interactions is 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_one_clear_line(case, tmp_path):
    rows, films, told = WRONG[case]
    folder = write_folder(tmp_path / "ml-1m", rows, films)
    with pytest.raises(DataError, match=told) as error:
        movielens.read(settings_of(tmp_path, folder))
    assert "\n" not in str(error.value)
    assert not [*tmp_path.glob("cache/*")]


@pytest.mark.parametrize(
    ("path", "told"), [("", r"data\.path=FILE"), ("nowhere", "no such file or folder"), (".", r"without ratings\.dat")]
)
def test_no_files(path, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=rf"{told}.*https://grouplens\.org"):
        movielens.read(settings_of(tmp_path, path))


def test_the_files_are_part_of_the_name_of_the_run(tmp_path):
    result = []
    for seed in (0, 0, 1):
        settings = settings_of(tmp_path, write_folder(tmp_path / str(len(result)), ratings(seed=seed)))
        movielens.fill_in(settings)
        result.append(settings.sha256)
    assert result[0] == result[1] != result[2]
