"""The pages keep their word: every command line is run, on a tiny budget.

A command is a line of a block of shell, or a `python run.py ...` in the text.
"""

import re
import shlex

import pytest

from lab.config import multirun
from lab.config.compose import compose, register
from lab.config.experiments import experiments
from tests.command_line import TINY, lab
from tests.documentation import FENCED, TEXTS
from tests.test_experiments import BENCHMARKS, NEED_FILES, PAPERS, corners

register()
RUN = ["python", "run.py"]

NOT_RUN = {  # first word: why
    "make": "it sets up what these tests run in, and runs them",
    "uv": "it fetches packages",
    "pip": "it fetches packages",
    "tensorboard": "the viewer is not the lab's",
}
ONLY_COMPOSED = {  # word of a command of the lab: why
    "hydra/launcher=submitit_slurm": "needs a cluster",
    "device.require=gpu": "needs one",
    "hosts.processes=2": "needs both at once: tests/trainers/test_hosts.py",
}
NEEDS = {"tracker=wandb": "wandb"}  # package: large, so its command is run where it is installed


def commands() -> list[str]:
    """Each once, without comments."""
    lines = []
    for text in TEXTS.values():
        for language, block in FENCED.findall(text):
            lines += block.replace("\\\n", " ").splitlines() if language == "sh" else []
        lines += re.findall(r"`(python run\.py[^`]*)`", FENCED.sub("", text))
    return list(dict.fromkeys(shlex.join(words) for line in lines if (words := shlex.split(line, comments=True))))


def parts(command: str) -> tuple[dict[str, str], list[str]]:
    """VARIABLE=VALUE words in front, and the rest."""
    words = shlex.split(command)
    first = next(i for i, word in enumerate(words) if not re.match(r"[A-Z_]+=", word))
    return dict(word.split("=", 1) for word in words[:first]), words[first:]


def of_the_lab(command: str) -> list[str] | None:
    """The words after `python run.py`; None for anybody else's command."""
    _, words = parts(command)
    return words[2:] if words[:2] == RUN else None


def left_out(command: str) -> bool:
    _, words = parts(command)
    return words[0] in NOT_RUN or any(word.startswith(tuple(ONLY_COMPOSED)) for word in words)


def run_elsewhere(command: str) -> bool:
    """An experiment and nothing else (tests/test_experiments.py), or a report drawn again (tests/test_paper.py)."""
    alone = {f"python run.py experiment={name}" for name in set(experiments()) - {*BENCHMARKS, *PAPERS}}
    return command in alone or "report=" in command


TO_RUN = [command for command in commands() if not left_out(command) and not run_elsewhere(command)]
SMALLER = {
    r"^population\.seeds=.*": "population.seeds=2",
    r"^population\.chunk=.*": "population.chunk=1",
    r"^([^=\[]+=[^,\[]+),.*,([^,\]]+)$": r"\1,\2",  # KEY=A,...,Z
}
SMALL = {  # instead of an experiment's grid
    "benchmark": [
        "benchmark.num_layers=[1]", "benchmark.num_context=[4]", "benchmark.input_dim=[2]", "benchmark.population=[1]",
        "benchmark.batch_size=[4,8]", "benchmark.seconds=0.001", "benchmark.rounds=1",
    ],
    "paper": [f"~paper.{profile}.fig{number}" for profile in ("quick", "full") for number in range(2, 7)],
}  # fmt: skip


def tiny(words: list[str]) -> list[str]:
    """The same with little to do: questions are asked as they are, grids keep their corners, populations two seeds."""
    for pattern, smaller in SMALLER.items():
        words = [re.sub(pattern, smaller, word) for word in words]
    chosen = re.fullmatch(r"experiment=(\w+)", next((word for word in words if word.startswith("experiment=")), ""))
    if chosen is None:
        return [*words, *TINY] if words not in ([], ["--help"]) else words
    name = chosen[1]
    instead = ["data=diabetes"] if name in NEED_FILES else []
    given = {word.split("=")[0] for word in words}
    small = [word for word in SMALL.get(name, corners(name, instead)) if word.split("=")[0] not in given]
    return [*words, *TINY, *small, *instead]


@pytest.mark.slow
@pytest.mark.parametrize("command", TO_RUN)
def test_command(command, tmp_path):
    rows = "".join(f"{row},{row % 7},{row % 11},{row % 7 + row % 3}\n" for row in range(300))
    (tmp_path / "my.csv").write_text("id,rooms,age,price\n" + rows)
    environment, words = parts(command)
    for word in {*words} & {*NEEDS}:
        pytest.importorskip(NEEDS[word])
    environment = {name: value.replace("$HOME", str(tmp_path)) for name, value in environment.items()}
    words = [word.replace("=DIRECTORY", f"={tmp_path}") for word in tiny(of_the_lab(command))]
    done = lab(*words, cwd=tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    if any("=" in word for word in words):
        assert list(tmp_path.glob("runs/*/*/DONE"))


def test_every_command_is_run_or_excepted():
    for command in commands():
        _, words = parts(command)
        assert of_the_lab(command) is not None or words[0] in NOT_RUN, f"neither run nor excepted: {command}"


def test_no_exception_is_without_use():
    words = {word for command in commands() for word in parts(command)[1]}
    assert {*NOT_RUN} <= {parts(command)[1][0] for command in commands()}
    assert {*ONLY_COMPOSED} <= words


@pytest.mark.parametrize("command", [c for c in commands() if of_the_lab(c) and {*parts(c)[1]} & {*ONLY_COMPOSED}])
def test_what_cannot_be_run_is_composed(command):
    for words in multirun.commands(of_the_lab(command)):
        plain = [word for word in words if not word.startswith(("hydra", "-m", "sweep.program="))]
        assert compose(plain).name


def test_code_is_in_blocks_that_are_understood():
    """A block of another language, or one that is indented, would not be seen here."""
    for page, text in TEXTS.items():
        assert {language for language, _ in FENCED.findall(text)} <= {"sh", "python", "text"}, page
        assert not re.findall(r"^(?: {4}|\t)\S.*", FENCED.sub("", text), flags=re.MULTILINE), page
        assert not any(
            "run.py " in line.split("#")[0]
            for of, block in FENCED.findall(text)
            if of != "sh"
            for line in block.splitlines()
            if line.startswith("python")
        ), page
