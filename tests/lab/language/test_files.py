"""Files of a folder that cannot be read as such: each is one line, and none blocks or fills the memory."""

import os
import pathlib

import pytest

from lab.language.tokens import Tokenizer
from lab.language.weights import load
from tests.lab.language.folders import config, golden, sharded, tensors, the_line, write


@pytest.fixture
def folder(tmp_path):
    """A folder of the golden GPT-2."""
    return write(tmp_path, config("gpt2"), tensors(golden("gpt2")))


def pipe(path: pathlib.Path) -> None:
    path.unlink()
    os.mkfifo(path)


def empty_folder(path: pathlib.Path) -> None:
    path.unlink()
    path.mkdir()


def sparse(path: pathlib.Path) -> None:
    os.truncate(path, 2**42)


def pointer(path: pathlib.Path) -> None:
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")


def deep(path: pathlib.Path) -> None:
    path.write_text("[" * 100_000 + "]" * 100_000)


HOSTILE = {
    "pipe": (pipe, "is no regular file"),
    "folder": (empty_folder, "is no regular file"),
    "sparse": (sparse, "has 4,398.0 GB, and at most"),
    "pointer": (pointer, "is a pointer of Git LFS and not the file; `git lfs pull` in its folder fetches it"),
    "deep": (deep, "is no JSON (maximum recursion depth exceeded"),
}


@pytest.mark.parametrize("change", HOSTILE)
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "index", "tokenizer.json", "vocab.json"])
def test_only_regular_files_of_some_size_are_opened(name, change, folder):
    spoil, text = HOSTILE[change]
    if name == "index":
        sharded(folder, tensors(golden("gpt2")))
        name = "model.safetensors.index.json"
    for file in {name, "merges.txt"} if name == "vocab.json" else {name}:
        (folder / file).open("a").close()
    spoil(folder / name)
    if change == "deep" and name in ("model.safetensors", "vocab.json"):  # no JSON, or read by another package
        text = ""
    read = Tokenizer if name in ("tokenizer.json", "vocab.json") else load
    assert text in the_line(lambda: read(folder))


def test_the_name_of_a_folder_may_have_any_length():
    assert "no such folder" in the_line(lambda: load("x" * 5000))
    assert len(the_line(lambda: load("x" * 5000))) < 300
