"""The pages keep their word: every command line is composed, or run on a tiny budget where no other test runs the same.

A command is a line of a block of shell, or a `python run.py ...` in the text.
"""

import functools
import pathlib
import re
import shlex

import pytest

from lab.config import multirun
from lab.config.compose import compose
from lab.config.kinds import FILES, KINDS
from lab.config.points import point, walk
from tests.analysis.shelf.runs import run
from tests.command_line import ROOT, TINY, lab_here, ran, sketching_lab
from tests.documentation import FENCED, TEXTS
from tests.lab.language.folders import files_of_a_model
from tests.run_files import corners
from tests.tasks.logs.streams import write_csv
from tests.tasks.logs.test_movielens import packed, ratings, write_folder
from tests.test_experiments import BUDGET, OF_FILES, OTHER_SETTINGS, logs_in
from trainers.experiment import check as check_figure_and_tracker

RUN = ["python", "run.py"]

NOT_RUN = {  # first word: why
    "make": "it sets up what these tests run in, and runs them",
    "pip": "it fetches packages",
    "tensorboard": "the viewer is not the lab's",
    "rm": "it is the shell's",
}
ONLY_COMPOSED = {  # word of a command of the lab: why
    "launcher=submitit_slurm": "needs a cluster",
    "launcher=joblib": "tests/test_user_code.py runs it",
    "launcher=submitit_local": "tests/test_user_code.py runs it",
    "device.require=gpu": "needs one",
    "hosts.processes=2": "needs both at once: tests/trainers/test_hosts.py",
    "experiment=interleaved": "tests/test_experiments.py runs it",
}
RUN_ELSEWHERE = {  # key, or variable in front: which test runs it
    **{word.split("=")[0]: "tests/test_experiments.py" for word in OTHER_SETTINGS},
    "run.force": "tests/test_experiments.py",
    "model.num_layers": "tests/test_golden.py",
    "train.learning_rate": "tests/test_sweep.py",
    "checkpoint.every": "tests/test_faults.py",
    "device.cache": "tests/test_command_line.py",
    "baselines.ridge_penalty": "tests/trainers/test_trained_before.py",
    "XLA_FLAGS": "tests/command_line.py",
    "-m": "tests/test_sweep.py",
    "data.normalization": "tests/test_paper.py",
    "data.dir": "tests/tasks/test_files.py",
    "eval.chunk": "tests/trainers/test_session.py",
    "population.chunk": "tests/trainers/test_population.py",
    "task.num_documents": "tests/test_experiments.py",
    "task.scale": "tests/test_sweep.py",
    "task.sigma": "tests/experiments/regression/comparison/test_references.py",
    "tracker=tensorboard": "tests/lab/runs/test_trackers.py",
}
COMPOSED_ELSEWHERE = {
    "python run.py experiment=rag_gd data.dir=DIRECTORY size=quick": "tests/test_paper.py"
}  # command: where
NEEDS = {"tracker=wandb": "wandb"}  # package: large, so its command is run where it is installed
OWN_FILE = "use=my_tasks.py"  # commands with it: tests/test_pages.py runs them


def commands() -> list[str]:
    """Each once, without comments."""
    lines = []
    for text in TEXTS.values():
        for language, block in FENCED.findall(text):
            lines += block.replace("\\\n", " ").splitlines() if language == "sh" else []
        lines += re.findall(r"`(python run\.py[^`]*)`", FENCED.sub("", text))
    return list(dict.fromkeys(shlex.join(words) for line in lines if (words := shlex.split(line, comments=True))))


@functools.cache
def parts(command: str) -> tuple[dict[str, str], list[str]]:
    """VARIABLE=VALUE words in front, and the rest."""
    words = shlex.split(command)
    first = next(i for i, word in enumerate(words) if not re.match(r"[A-Z_]+=", word))
    return dict(word.split("=", 1) for word in words[:first]), words[first:]


def of_the_lab(command: str) -> list[str] | None:
    """The words after `python run.py`; None for anybody else's command."""
    _, words = parts(command)
    return words[2:] if words[:2] == RUN else None


def is_question(command: str) -> bool:
    """Whether it runs nothing: a call for help, or a list of experiments."""
    words = of_the_lab(command)
    return not words or "--help" in words or words[0] == "list"


OF_THE_LAB = [command for command in commands() if (words := of_the_lab(command)) is not None and OWN_FILE not in words]
QUESTIONS = [command for command in OF_THE_LAB if is_question(command)]
DRAWN_AGAIN = [command for command in OF_THE_LAB if "report=" in command]  # tests/test_paper.py
DECIDED = [command for command in OF_THE_LAB if "decide=" in command]  # tests/trainers/decide
OF_RUNS = [command for command in OF_THE_LAB if parts(command)[1][2:3] == ["runs"]]
RUNS = [command for command in OF_THE_LAB if command not in {*QUESTIONS, *DRAWN_AGAIN, *DECIDED, *OF_RUNS}]


def is_only_composed(command: str) -> bool:
    """Those of papers, and of kinds other than comparisons: tests/test_paper.py and the kind's own tests run them."""
    _, words = parts(command)
    named = {word.removeprefix("experiment=") for word in words} & {*FILES}
    return bool({*words} & {*ONLY_COMPOSED}) or any(FILES[name].parent.name != "comparison" for name in named)


def features(command: str) -> set[str]:
    """What makes a command another one than one with other values: variables in front, -m, and its keys, each with the
    data set and without the experiments that tests/test_experiments.py and tests/test_paper.py run."""
    environment, words = parts(command)
    keys = {word if word.startswith(("data=", "tracker=")) else word.split("=")[0] for word in words[2:]}
    return {*environment} | keys - {"experiment"}


def chosen_to_run() -> list[str]:
    """So many that every feature that no other test runs is in one of them: always the one with the most new ones."""
    candidates = [command for command in RUNS if not is_only_composed(command)]
    seen, chosen = {*RUN_ELSEWHERE}, []
    while new := features(best := max(candidates, key=lambda command: len(features(command) - seen))) - seen:
        seen |= new
        chosen.append(best)
    return chosen


TO_RUN = chosen_to_run()
SMALLER = {
    r"^population\.seeds=.*": "seeds=2",
    r"^population\.chunk=.*": "population.chunk=1",
    r"^([^=\[]+=[^,\[]+),.*,([^,\]]+)$": r"\1,\2",  # KEY=A,...,Z
}


def tiny(words: list[str]) -> list[str]:
    """The same with little to do: grids keep their corners, populations two seeds; data is what is here."""
    for pattern, smaller in SMALLER.items():
        words = [re.sub(pattern, smaller, word) for word in words]
    chosen = [match[1] for word in words if (match := re.fullmatch(r"experiment=(\w+)", word))]
    if kinds := [match[1] for word in words if (match := re.fullmatch(r"kind=(\w+)", word))]:
        given = ("experiment=", "~", *(f"{word.partition('=')[0]}=" for word in words))
        return [*words, *(word for word in KINDS[kinds[0]].schema.TINY if not word.startswith(given))]
    if not chosen:  # several, of which none has a grid
        return [*words, *TINY]
    instead = ["data=diabetes"] if chosen[0] in OF_FILES else []
    return [*words, *BUDGET.get(chosen[0], TINY), *corners(chosen[0], fixed=("data",) if instead else ()), *instead]


@pytest.mark.slow
@pytest.mark.parametrize("command", TO_RUN)
def test_command(command, tmp_path):
    rows = "".join(f"{row},{row % 7},{row % 11},{row % 7 + row % 3}\n" for row in range(300))
    (tmp_path / "my.csv").write_text("id,rooms,age,price\n" + rows)
    environment, words = parts(command)
    for word in {*words} & {*NEEDS}:
        pytest.importorskip(NEEDS[word])
    words = [word.replace("=DIRECTORY", f"={tmp_path}") for word in tiny(parts(command)[1][2:])]
    mine = ("device.require=cpu",)  # which is what this process has
    apart = environment or any(word.startswith(("hosts.", "device.", "launcher")) for word in words if word not in mine)
    done = (sketching_lab if apart else lab_here)(*words, cwd=tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("runs/*/*/DONE"))


def not_run() -> list[str]:
    """Less those that say a part of what another one says, and an experiment's name alone: tests/test_experiments.py
    composes every experiment."""
    alone = {shlex.join([*RUN, f"experiment={name}"]) for name in FILES}
    rest = [command for command in RUNS if command not in {*TO_RUN, *COMPOSED_ELSEWHERE, *alone}]
    return [one for one in rest if not any({*parts(one)[1]} < {*parts(other)[1]} for other in rest)]


def with_folder_of_a_model(words: list[str], folder: pathlib.Path) -> list[str]:
    """The same words with a folder of a language model and texts, whose names depend on what is in them."""
    if any(word.startswith("experiment=smollm2") for word in words):
        words = [word for word in words if not word.startswith("text.path=")]
        return words + files_of_a_model(compose(words), folder)
    if "lm.path=MODEL" not in words:
        return words
    (folder / "model").mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (folder / "model" / name).write_text("{}")
    for name in ("mine.csv", "train.csv"):
        (folder / name).write_text("text,label\n" + "bad film,0\ngood film,1\n" * 200)
    (folder / "SST2").mkdir()
    for name in ("train.tsv", "dev.tsv"):
        (folder / "SST2" / name).write_text("sentence\tlabel\n" + "bad film\t0\ngood film\t1\n" * 200)
    words = [word.replace("=MODEL", f"={folder}/model").replace("=SST2", f"={folder}/SST2") for word in words]
    return [re.sub(r"^(text\.(?:path|train))=(\w+\.csv)$", rf"\1={folder}/\2", word) for word in words]


@pytest.mark.parametrize("command", not_run())
def test_a_command_that_is_not_run_is_composed(command, tmp_path):
    words = [word.replace("=DIRECTORY", f"={tmp_path}") for word in parts(command)[1][2:]]
    logs = logs_in(tmp_path)
    if read := [name for name in logs if f"experiment={name}" in words]:  # whose names depend on what is in the files
        write_csv(tmp_path / "clicks.csv", 100, 5)
        (tmp_path / "log.csv").write_text("user,when,film\n")
        packed(write_folder(tmp_path / "ml-25m", ratings(), form="25m"))
        for folder in (tmp_path, tmp_path / "ml-100k"):
            write_folder(folder, ratings(), form="100k")
        words = [f"{word}/ml-100k" if word == f"data.path={tmp_path}" else word for word in words]
        words = [re.sub("^data.path=(?!/)", f"data.path={tmp_path}/", word) for word in words]
        words += logs[read[0]]
    words = with_folder_of_a_model(words, tmp_path)
    for each_command in multirun.commands(words):
        plain = [word for word in each_command if not word.startswith(("launcher", "-m", "sweep.program="))]
        asked = point(plain)
        assert asked.settings.name
        for below in walk(asked):
            check_figure_and_tracker(below)


@pytest.mark.parametrize("command", QUESTIONS)
def test_a_question_is_answered(command, tmp_path):
    done = ran(*parts(command)[1][2:], cwd=tmp_path)
    assert done.stdout.count("\n") > 10
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", OF_RUNS)
def test_runs_are_listed_compared_and_opened(command, tmp_path, monkeypatch):
    monkeypatch.setattr("webbrowser.open", str)
    for name in ("a766db701a", "b13c5d2e90"):
        run(tmp_path, name, experiment="rag_dot").write_text("report.html", "<!DOCTYPE html>")
    run(tmp_path, state="it broke")
    done = ran(*parts(command)[1][2:], cwd=tmp_path)
    assert done.stdout


def test_every_command_is_run_or_excepted():
    for command in commands():
        _, words = parts(command)
        assert of_the_lab(command) is not None or words[0] in NOT_RUN, f"neither run nor excepted: {command}"


def test_every_key_of_a_command_is_in_one_that_is_run():
    run = {*RUN_ELSEWHERE} | {feature for command in TO_RUN for feature in features(command)}
    for command in RUNS:
        assert features(command) <= run or is_only_composed(command), command


def test_no_exception_is_without_use():
    words = {word for command in commands() for word in parts(command)[1]}
    assert {*NOT_RUN} <= {parts(command)[1][0] for command in commands()}
    assert {*ONLY_COMPOSED} <= words
    assert {*COMPOSED_ELSEWHERE} <= {*RUNS}
    for feature, page in RUN_ELSEWHERE.items():
        assert feature in (ROOT / page).read_text(), "the test has it"
    assert {*RUN_ELSEWHERE} - {word.split("=")[0] for word in OTHER_SETTINGS} <= {
        feature for command in RUNS for feature in features(command)
    }


def test_code_is_in_blocks_that_are_understood():
    """A block of another language, or one that is indented, would not be seen here."""
    for page, text in TEXTS.items():
        assert {language for language, _ in FENCED.findall(text)} <= {"sh", "python", "text"}, page
        assert not re.findall(r"^(?: {4}|\t)\S.*", FENCED.sub("", text), flags=re.MULTILINE), page
        assert not any(
            "run.py " in line.split("#")[0]
            for language, block in FENCED.findall(text)
            if language != "sh"
            for line in block.splitlines()
            if line.startswith("python")
        ), page
