"""A model's folder, which may be a repository of the hub: a test downloads nothing, so a copy stands for the hub."""

import fnmatch
import os
import pathlib
import shutil
import sys

import numpy as np
import pytest

from experiments.duals.language_dual.settings import LanguageDual
from lab.config import user_code
from lab.config.language import Language, files_of, folder_of, largest_weights
from lab.errors import ConfigError
from lab.language.weights import load
from tasks.errors import DataError
from tasks.texts.settings import Texts
from tests.command_line import check_refused, lab_here, ran
from tests.lab.language.folders import config, golden, sharded, tensors, write
from tests.tiny_runs import tiny_run

NAME = "someone/small"


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """The calls of the hub's client, which copies the files that are asked for, as the real one does, to a folder that
    it names itself. The repository has weights in two files, and what nobody should fetch."""
    arrays = tensors(golden("qwen3"))
    kept = write(tmp_path / "hub", config("qwen3"), arrays)
    sharded(kept, arrays)
    for name in ("pytorch_model.bin", "README.md"):
        (kept / name).write_text("not to be fetched")
    return standing_for_the_hub(monkeypatch, kept, tmp_path / "cache")


def standing_for_the_hub(monkeypatch, kept: pathlib.Path, cache: pathlib.Path) -> list[dict]:
    calls: list[dict] = []

    def snapshot_download(
        repo_id: str, *, revision: str | None = None, allow_patterns: list[str], local_files_only: bool = False
    ) -> str:
        if local_files_only:
            raise FileNotFoundError("not in the cache")
        calls.append({"repo_id": repo_id, "revision": revision})
        folder = cache / (revision or "main")
        folder.mkdir(parents=True, exist_ok=True)
        for file in kept.iterdir():
            if any(fnmatch.fnmatchcase(file.name, pattern) for pattern in allow_patterns):
                shutil.copy(file, folder / file.name)
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    return calls


@pytest.mark.parametrize(("revision", "asked"), [("a1b2c3", "a1b2c3"), ("", None)])
def test_a_repository_is_read_as_the_folder_that_it_is_fetched_to(revision, asked, hub, tmp_path):
    folder = folder_of(Language(path=NAME, download=True, revision=revision))
    assert hub == [{"repo_id": NAME, "revision": asked}]
    assert folder == tmp_path / "cache" / (revision or "main")
    fetched, kept = load(folder).params, load(tmp_path / "hub").params
    np.testing.assert_array_equal(fetched["layers"]["q"], kept["layers"]["q"])
    assert not [path.name for path in folder.iterdir() if path.suffix in (".bin", ".md")]


def test_nothing_is_fetched_for_words_of_others(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    with (
        user_code.closed(),
        pytest.raises(DataError, match="nothing is downloaded for a stored command"),
    ):
        folder_of(Language(path="smollm2"))
    with user_code.closed(), pytest.raises(ConfigError, match=r"cannot be fetched \(not in the cache\)"):
        folder_of(Language(path=NAME, download=True))
    assert hub == []


def test_the_files_that_were_fetched_are_part_of_the_runs_identity(hub, tmp_path):
    (tmp_path / "mine.csv").write_text("text,label\n" + "bad film,0\ngood film,1\n" * 4)
    texts = Texts(path=str(tmp_path / "mine.csv"))
    digests = []
    for lm in (Language(path=NAME, download=True, revision="a1"), Language(path=str(tmp_path / "hub"))):
        settings = LanguageDual(lm=lm, text=texts)
        settings.fill_in()
        digests.append(settings.lm.sha256)
    assert digests[0] == digests[1]
    assert len(digests[0]) == 4  # two of weights, their index, and config.json


def test_what_is_read_is_part_of_the_runs_identity(tmp_path):
    """An index or lists of tokens that another file stands before change nothing; where they are read, they do."""
    folder = write(tmp_path, config("gpt2"), tensors(golden("gpt2")))
    names = ["model.safetensors.index.json", "special_tokens_map.json", "added_tokens.json"]
    for name in (*names, "tokenizer.json", "notes.txt"):
        (folder / name).write_text("{}")
    read = {"config.json", "model.safetensors", "tokenizer.json"}
    assert {file.name for file in files_of(folder)} == read
    (folder / "tokenizer.json").unlink()
    (folder / "model.safetensors").rename(folder / "model-1.safetensors")
    assert {file.name for file in files_of(folder)} == {"config.json", "model-1.safetensors", *names}


def test_a_gguf_file_is_the_whole_model(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    assert files_of(folder_of(Language(path=str(file)))) == [file]
    file.unlink()
    with pytest.raises(ConfigError, match=r"model\.gguf: no such file"):
        folder_of(Language(path=str(file)))


def test_files_are_looked_at_before_their_checksums_are_made(tmp_path):
    folder = write(tmp_path, config("gpt2"), tensors(golden("gpt2")))
    os.mkfifo(folder / "merges.txt")
    with pytest.raises(ConfigError, match=r"merges.txt: is no regular file$"):
        files_of(folder)
    (folder / "merges.txt").unlink()
    for number in range(3):  # each small enough, and all together not
        (folder / f"{number}.safetensors").touch()
        os.truncate(folder / f"{number}.safetensors", largest_weights() // 2)
    with pytest.raises(ConfigError, match=r"GB, and at most .* GB are read$"):
        files_of(folder)


@pytest.mark.parametrize("path", ["x" * 5000, "~nobody-of-this-name/model"])
def test_a_name_of_any_length_is_one_short_line(path):
    with pytest.raises(ConfigError, match="no such folder") as caught:
        folder_of(Language(path=path))
    assert len(str(caught.value)) < 300


def test_nothing_is_fetched_without_being_asked_for(hub, tmp_path):
    """Nor where a folder of one's own has the name."""
    with pytest.raises(ConfigError, match=r"no such folder; with lm.download=true it may be a repository of the hub"):
        folder_of(Language(path=NAME))
    assert folder_of(Language(path=str(tmp_path / "hub"), download=True)) == tmp_path / "hub"
    assert not hub


def test_what_cannot_be_fetched_is_one_line(monkeypatch):
    def refuse(*names, **options):
        raise OSError("the hub cannot be reached\nand a page of advice")

    monkeypatch.setattr("huggingface_hub.snapshot_download", refuse)
    with pytest.raises(ConfigError, match=r"lm.path=someone/small: cannot be fetched \(the hub cannot be reached\)$"):
        folder_of(Language(path=NAME, download=True))
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ConfigError, match="needs huggingface_hub: pip install"):
        folder_of(Language(path=NAME, download=True))


@pytest.mark.slow
def test_a_whole_run_on_a_repository(tmp_path_factory, tmp_path, monkeypatch):
    """From the command to tables; another revision that cannot be fetched is a line."""
    made = tiny_run(tmp_path_factory, "language_model").directory
    calls = standing_for_the_hub(monkeypatch, made / "model", tmp_path / "cache")
    words = ["experiment=language_dual", "seeds=1", "queries=1", "features=[16]", f"lm.path={NAME}", "lm.download=true"]
    words += [f"text.path={made}", "text.dataset=own_natural", "text.examples=1", "lm.revision=a1b2c3"]
    ran(*words, cwd=tmp_path)
    assert {(call["repo_id"], call["revision"]) for call in calls} == {(NAME, "a1b2c3")}
    assert len(list((tmp_path / "runs" / "language_dual").glob("*/DONE"))) == 1
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *names, **options: 1 / 0)
    check_refused(lab_here(*words[:-1], "lm.revision=d4", cwd=tmp_path), "cannot be fetched (division by zero)")
