"""The data sets as published, files that are not what they should be, and tables of the user's own."""

import contextlib
import functools
import hashlib
import http.server
import io
import pathlib
import threading
import zipfile

import numpy as np
import pytest

from tasks.datasets import files, own
from tasks.datasets.catalogue import READERS
from tasks.datasets.files import PublishedFile, locate
from tasks.datasets.settings import ALL, Bike, California, Calories, Color, Csv, Diabetes, Wine
from tasks.datasets.table import DataError

NOT_HERE = "tests do not download"


def table(settings, monkeypatch):
    """The table, if its files are here: a test downloads nothing."""

    def no_download(file, to):
        raise OSError(NOT_HERE)

    monkeypatch.setattr(files, "_download", no_download)
    try:
        return READERS[settings.name](settings)
    except DataError as error:
        if NOT_HERE not in str(error) and "needs an account" not in str(error):
            raise
        pytest.skip(f"set LAB_DATA_DIR: {error}")


# As their publishers and scikit-learn's documentation describe them.
PUBLISHED = {
    "diabetes": (Diabetes(), 442, 10, 152.133484),
    "california": (California(), 20_640, 8, 2.0685582),
    "bike": (Bike(), 17_379, 14, 3_292_679 / 17_379),
    "bike without what leaks": (Bike(drop_leakage=True), 17_379, 12, 3_292_679 / 17_379),
    "white wine": (Wine(), 4_898, 11, 5.877909),
    "red wine": (Wine(color=Color.red), 1_599, 11, 5.636023),
    "calories": (Calories(), 15_000, 7, 89.53953),
}


@pytest.mark.parametrize("case", PUBLISHED)
def test_figures_as_published(case, monkeypatch):
    settings, rows, columns, mean = PUBLISHED[case]
    found = table(settings, monkeypatch)
    assert found.x.shape == (rows, columns) == (len(found.y), len(found.columns))
    assert np.isfinite(found.x).all()
    assert found.y.mean() == pytest.approx(mean, rel=1e-6)


def test_california_is_capped(monkeypatch):
    found = table(California(), monkeypatch)
    assert np.sum(found.y >= 5.00001) == 965
    assert found.split_sizes() == (16_640, 2_000)


def test_bike_s_leak(monkeypatch):
    found, without = table(Bike(), monkeypatch), table(Bike(drop_leakage=True), monkeypatch)
    parts = [found.columns.index(name) for name in ("casual", "registered")]
    np.testing.assert_array_equal(found.x[:, parts].sum(axis=1), found.y)
    assert "drop_leakage" in found.notes[0]
    assert without.notes == ()
    assert set(found.columns) - set(without.columns) == {"casual", "registered"}
    assert found.split_sizes() == (15_641, 1_738)


def test_wine_s_duplicates(monkeypatch):
    found, without = table(Wine(), monkeypatch), table(Wine(drop_duplicates=True), monkeypatch)
    assert "937 of 4898" in found.notes[0]
    assert found.split_sizes() == (4_408, 490)
    rows = np.column_stack([without.x, without.y])
    assert len(np.unique(rows, axis=0)) == len(rows) == 4_898 - 937
    np.testing.assert_array_equal(rows[:3], np.column_stack([found.x, found.y])[:3])


def test_every_data_set_has_a_reader():
    assert {settings.name for settings in ALL} == set(READERS)


# Files.

CONTENT = b"a,b\n1,2\n"
ARCHIVE = io.BytesIO()
with zipfile.ZipFile(ARCHIVE, "w") as archive:
    archive.writestr("some.csv", CONTENT)


def published(content=CONTENT, **options):
    page = "https://example.org/page"
    return PublishedFile("folder", "some.csv", hashlib.sha256(content).hexdigest(), page, **options)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The user's cache, elsewhere."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("LAB_DATA_DIR", raising=False)
    return tmp_path / "cache"


def kept(cache):
    return [path for path in cache.rglob("*") if path.is_file()]


@contextlib.contextmanager
def serving(answer: bytes, announced: int | None = None):
    """The address of a server that gives this answer, and says that it is `announced` bytes long."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(announced or len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=functools.partial(server.serve_forever, poll_interval=0.01))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/some"
        finally:
            server.shutdown()
            thread.join()


def test_where_files_are_looked_for(tmp_path, cache, monkeypatch):
    """In data.dir before LAB_DATA_DIR before the cache; in the data set's folder or beside it."""
    last = cache / "icl-gd-lab"
    places = [tmp_path / "given" / "folder", tmp_path / "named", last]
    for place in places:
        place.mkdir(parents=True)
        (place / "some.csv").write_bytes(CONTENT)
    monkeypatch.setenv("LAB_DATA_DIR", str(tmp_path / "named"))
    for place in places:
        assert locate(published(), str(tmp_path / "given")) == place / "some.csv"
        (place / "some.csv").unlink()
    with pytest.raises(DataError, match=r"needs an account.*https://example.org/page.*put it into .*given"):
        locate(published(), str(tmp_path / "given"))
    with pytest.raises(DataError, match=r"data\.dir=nowhere: no such directory"):
        locate(published(), "nowhere")


@pytest.mark.parametrize(("answer", "zipped"), [(CONTENT, False), (ARCHIVE.getvalue(), True)])
def test_a_download_is_verified_and_kept(answer, zipped, cache):
    with serving(answer) as url:
        found = locate(published(url=url, zipped=zipped), None)
    assert found.read_bytes() == CONTENT
    assert kept(cache) == [found]
    assert locate(published(url="http://127.0.0.1:9/", zipped=zipped), None) == found, "it is not fetched again"


WRONG = {
    "truncated": (CONTENT[:4], None, False, "SHA-256"),
    "cut off on the way": (CONTENT[:4], len(CONTENT), False, "cannot be downloaded|SHA-256"),
    "another file": (b"c,d\n", None, False, "expected"),
    "an error page": (b"<html>sorry</html>", None, False, "web page"),
    "a truncated archive": (ARCHIVE.getvalue()[:-20], None, True, "SHA-256"),
    "an error page for an archive": (b"<html>sorry</html>", None, True, "web page"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_download_is_an_error_and_nothing_is_kept(case, cache):
    answer, announced, zipped, expected = WRONG[case]
    with serving(answer, announced) as url, pytest.raises(DataError, match=expected) as error:
        locate(published(url=url, zipped=zipped), None)
    assert "https://example.org/page" in str(error.value)
    assert "\n" not in str(error.value)
    assert kept(cache) == []


def test_an_archive_without_the_file(cache):
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("other.csv", CONTENT)
    with serving(other.getvalue()) as url, pytest.raises(DataError, match=r"no some\.csv"):
        locate(published(url=url, zipped=True), None)
    assert kept(cache) == []


def test_no_network(cache):
    with pytest.raises(DataError, match="cannot be downloaded") as error:
        locate(published(url="http://127.0.0.1:9/some"), None)
    assert "\n" not in str(error.value)


def test_a_cache_that_cannot_be_written(cache):
    """A file stands where the directory should be: permissions would not stop a superuser."""
    cache.write_text("in the way")
    with serving(CONTENT) as url, pytest.raises(DataError, match=r"cannot be downloaded .*; get it from"):
        locate(published(url=url), None)
    assert cache.read_text() == "in the way"


def test_a_file_of_the_user_s_that_is_another(tmp_path, cache):
    (tmp_path / "some.csv").write_bytes(b"c,d\n")
    with pytest.raises(DataError, match=r"not the published some\.csv: its SHA-256 is"):
        locate(published(), str(tmp_path))
    assert (tmp_path / "some.csv").exists()


# The user's own.


def read_own(tmp_path, text, target="y", **options):
    path = pathlib.Path(tmp_path) / "own.csv"
    path.write_text(text, encoding="utf-8")
    settings = Csv(path=str(path), target=target, **options)
    own.fill_in(settings)
    return own.read(settings)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_an_own_table(delimiter, tmp_path):
    text = "\ufeffa, b,y\n1,2,3\n4,5e1,6\n".replace(",", delimiter)
    found = read_own(tmp_path, text)
    assert found.columns == ("a", "b")
    assert found.x.tolist() == [[1, 2], [4, 50]]
    assert found.y.tolist() == [3, 6]
    assert found.notes == ()


def test_text_and_missing_values_are_left_out_and_told(tmp_path):
    found = read_own(tmp_path, "a,name,empty,y\n1,x,,3\nNA,y,,6\n7,z,,8\n9,w,,inf\n2,x,,4\n")
    assert found.columns == ("a",)
    assert found.x[:, 0].tolist() == [1, 7, 2]
    assert found.notes[0].startswith("columns left out, as they hold text or nothing: name, empty")
    assert found.notes[1].startswith("2 of 5 rows")


def test_columns_without_a_name_and_repeated_rows_are_told(tmp_path):
    """As pandas writes row numbers."""
    found = read_own(tmp_path, ",a,y\n0,1,2\n1,1,2\n2,5,6\n")
    assert found.columns == ("a",)
    assert found.notes == (
        "the column without a name was left out",
        "1 of 3 rows repeat another, perhaps one of the other split",
    )


def test_a_header_with_delimiters_in_quotes(tmp_path):
    found = read_own(tmp_path, '\n"price (EUR, net), at, last";y\n1;2\n\n3;4\n')
    assert found.columns == ("price (EUR, net), at, last",)
    assert found.y.tolist() == [2, 4]


WRONG_TABLES = {
    "absent target": ("a,yy\n1,2\n", {}, r"data\.target=y: no such column; did you mean yy"),
    "target of text": ("a,y\n1,x\n", {}, r"data\.target=y: .* numbers"),
    "dropped target": ("a,y\n1,2\n", {"drop": ["y"]}, r"data\.target=y"),
    "unknown column to drop": ("a,y\n1,2\n", {"drop": ["b"]}, r"data\.drop=b: no such column; allowed: a, y"),
    "text alone": ("a,y\nx,2\n", {}, "no input column"),
    "an empty file": ("", {}, "no rows"),
    "a header alone": ("a,y\n", {}, "no rows"),
    "a row that is too short": ("a,b,y\n1,2,3\n1,2\n", {}, "line 3 has 2 cells"),
    "a name twice": ("a,a,y\n1,2,3\n", {}, "two columns are called 'a'"),
    "another file": ("a,y\n1,2\n", {"sha256": "0"}, r"not data\.sha256=0"),
}


@pytest.mark.parametrize("case", WRONG_TABLES)
def test_a_wrong_table_is_one_clear_line(case, tmp_path):
    text, options, expected = WRONG_TABLES[case]
    with pytest.raises(DataError, match=expected) as error:
        read_own(tmp_path, text, **options)
    assert "\n" not in str(error.value)


def test_not_a_text_file(tmp_path):
    (tmp_path / "own.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(DataError, match="UTF-8"):
        own.read(Csv(path=str(tmp_path / "own.csv"), target="y"))


def test_the_file_is_part_of_the_name_of_the_run(tmp_path):
    path = tmp_path / "own.csv"
    one, other = Csv(path=str(path), target="y"), Csv(path=str(path), target="y")
    path.write_text("a,y\n1,2\n")
    own.fill_in(one)
    path.write_text("a,y\n1,3\n")
    own.fill_in(other)
    assert one.sha256 != other.sha256
