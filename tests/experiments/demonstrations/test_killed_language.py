"""Experiments on a language model that the system kills, as it does when memory is short: the same command goes on."""

import csv
import json
import pathlib
import random
import signal
import subprocess
import sys
from unittest import mock

import pytest
from safetensors.numpy import load_file

from lab.language import weights
from lab.language.tokens import Tokenizer
from tests.command_line import ENVIRONMENT, ROOT, lab_here
from tests.lab.language.folders import random_model
from tests.lab.language.test_gguf import arranged, metadata, trained, written
from trainers.part_store import Partial

SMALL = {
    "language_choice": ["seeds=2", "sets=3", "validation=[4]"],
    "language_deep_thinking": ["seeds=2", "iterations=3", "eta=[0.1]", "beta=[0.9]", "offset=[true]", "validation=4"],
    "language_dual": ["seeds=2", "queries=2", "features=[16,64]"],
    "language_finetune": ["seeds=2", "learning_rates=[0.01]", "orders=2", "validation=4"],
}
OF_THE_SYSTEM = "language_choice"
KILLED = f"""
import os, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from trainers.part_store import Partial
write, left, names = Partial._write, int(sys.argv.pop(1)), sys.argv.pop(1)
def write_and_die(self, file, content):
    global left
    write(self, file, content)
    with open(names, "a") as kept:
        kept.write(file + "\\n")
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
Partial._write = write_and_die
import run
from tests.sketch import sketched
with sketched():
    run.main()
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> list[str]:
    """The words that name a random model in one file, as SmolLM2 is, and texts."""
    folder, draw = tmp_path_factory.mktemp("files"), random.Random(0)
    model, (inner, tokens, merges) = random_model(vocab_size=300, max_position_embeddings=256), trained()
    weights.save(folder / "model", model, Tokenizer.of(inner))
    arrays = load_file(folder / "model" / "model.safetensors")
    settings = json.loads((folder / "model" / "config.json").read_text())
    entries = {
        "model": "gpt2", "pre": "gpt-2", "tokens": tokens, "merges": merges, "eos_token_id": 1,
        "token_type": [3 if token in ("<pad>", "</s>") else 1 for token in tokens],
    }  # fmt: skip
    file = {f"tokenizer.ggml.{key}": each for key, each in entries.items()} | metadata(settings)
    written(folder / "model.gguf", file, arranged(settings, arrays))
    for name, count in (("train", 60), ("test", 12)):
        with open(folder / f"{name}.csv", "w", newline="") as table:
            rows = csv.writer(table)
            rows.writerow(["text", "label"])
            rows.writerows([" ".join(draw.choices(["fine", "film", "two", "good"], k=4)), i % 2] for i in range(count))
    return [f"lm.path={folder}/model.gguf", f"text.path={folder}/test.csv", f"text.train={folder}/train.csv",
            "text.labels=[bad,good]", "text.template='Film: {query} It is {label}'", "text.answer=calibrated",
            "text.examples=1", "lm.batch=8"]  # fmt: skip


def tables(folder: pathlib.Path) -> dict[str, bytes]:
    """{name: its bytes} of the tables of the one run below a folder."""
    return {path.name: path.read_bytes() for path in folder.glob("runs/*/*/*.csv")}


class Killed(BaseException):
    """In the place of a signal, which would end the tests too: nothing that the lab catches."""


def in_this_process(words: list[str], folder: pathlib.Path, left: int) -> tuple[int, list[str]]:
    """Return the exit status, and the files of the parts that a run keeps; 0: it is not killed."""
    names, write = [], Partial._write

    def write_and_die(self, file, content):
        write(self, file, content)
        names.append(file)
        if len(names) == left:
            raise Killed

    with mock.patch.object(Partial, "_write", write_and_die):
        try:
            return lab_here(*words, cwd=folder).returncode, names
        except Killed:
            return -signal.SIGKILL, names


def in_a_process(words: list[str], folder: pathlib.Path, left: int) -> tuple[int, list[str]]:
    """The same, of a process that the system kills."""
    names = folder.with_suffix(".names")
    names.write_text("")
    command = [sys.executable, "-c", KILLED, str(left), str(names), *words]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=False).returncode, names.read_text().split()


@pytest.mark.slow
@pytest.mark.parametrize("kind", SMALL)
def test_a_run_that_is_killed_twice_leaves_the_tables_of_one_that_is_not(kind, files, tmp_path):
    """Of one kind by the system: how parts are kept, is the same for all, and which are kept differs."""
    words = [f"experiment={kind}", *SMALL[kind], *files]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    run = in_a_process if kind == OF_THE_SYSTEM else in_this_process
    status, parts = in_this_process(words, whole, 0)
    assert status == 0
    assert len(parts) >= 4
    for left in (1, len(parts) // 2):  # of the parts that are left
        assert run(words, killed, left)[0] == -signal.SIGKILL
        assert not tables(killed)
    status, kept = run(words, killed, 0)
    assert status == 0
    assert kept == parts[1 + len(parts) // 2 :], "what was kept is not made again"
    assert tables(killed) == tables(whole) != {}
