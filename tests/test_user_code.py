"""A file of the user's own (`use=FILE.py`): what it can add, and what is said where it cannot."""

import hashlib
import json
import pathlib
import re
import sys

import pytest

from analysis.report import generic
from analysis.report.blocks import plain
from analysis.report.redraw import redraw
from lab.config import compose, multirun
from lab.config.base import Base
from lab.config.identity import code_hash, config_hash
from lab.config.points import point, programs
from lab.errors import ConfigError, UserError, explain
from lab.runs import provenance
from lab.runs.directory import RunDirectory
from tasks.catalogue import TASKS
from tests.command_line import TINY, lab, lab_here, sketching_lab
from tests.own_files import BOUNCE, EXAMPLE, launch, write

pytestmark = pytest.mark.usefixtures("tables")

TASK = """
import dataclasses
from tasks import catalogue, settings
from tasks.plain import Plain
from tasks.task import pytree

@dataclasses.dataclass
class Parameters(settings.Plain):
    name: str = "NAME"

@pytree
class Mine(Parameters, Plain):
    pass

catalogue.register(Mine)
"""
LEARNER = """
from lab.learners.roles import Role
from experiments.regression.comparison.own_learners import register
register(Role("ridge", "mine", "#000000", "-", "mine"), None)
"""
KIND = """
import dataclasses
from lab.config.base import Base
from lab.config import kinds

@dataclasses.dataclass
class CLASS(Base):
    pass

kinds.register("NAME", CLASS, None)
"""

WRONG = {  # text of the file: what the line says
    "an error": ("x = 1\nnowhere\n", [", line 2: NameError: name 'nowhere'"]),
    "an error of several lines": ("raise ValueError('first\\nsecond')\n", [", line 1: ValueError: first"]),
    "an error deeper in it": ("def f():\n    return 1 / 0\n\nf()\n", [", line 2: ZeroDivisionError"]),
    "no Python": ("x = (\n", [", line 1: SyntaxError: '(' was never closed"]),
    "a missing module": ("import nowhere\n", [", line 1: ModuleNotFoundError: No module named 'nowhere'"]),
    "it ends the process": ("import sys\nsys.exit(3)\n", [", line 2: SystemExit: 3"]),
    "a task's name": (TASK.replace("NAME", "plain"), [", line 15: task plain: the name is taken"]),
    "a task without a name": (TASK.replace("NAME", ""), ["task Parameters: its settings have no name"]),
    "a task that is no pytree": (TASK.replace("@pytree", "").replace("NAME", "mine"), ["decorator tasks.task.pytree"]),
    "a task that lacks methods": (
        TASK.replace("Parameters, Plain", "Parameters, Task").replace("import pytree", "import Task, pytree"),
        ["task NAME: ", "abstract method"],
    ),
    "a task without settings": ("from tasks import catalogue\ncatalogue.register(int)\n", ["task int: its bases must"]),
    "a learner's name": (LEARNER, [", line 4: learner ridge: this name is taken"]),
    "a kind's name": (KIND.replace("NAME", "speed").replace("CLASS", "Mine"), ["kind speed: the name is taken"]),
    "a class's name": (KIND.replace("NAME", "mine").replace("CLASS", "Speed"), ["settings called Speed already"]),
    "a kind that is no dataclass": (KIND.replace("@dataclasses.dataclass", ""), ["kind NAME", "must be a dataclass"]),
    "a figure's name": ("from analysis import figures\nfigures.register('fig1', 1)\n", [", line 2: figure=fig1"]),
}  # fmt: skip


def the_line(*words):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        launch(*words, f"run.dir={pathlib.Path('runs').absolute()}")
    line = explain(caught.value)
    assert line is not None, caught.value
    assert "\n" not in line
    return line


@pytest.mark.parametrize("case", WRONG)
def test_one_line_with_file_and_line(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, expected = WRONG[case]
    word = write(tmp_path, text)
    line = the_line(word, "experiment=plain")
    assert line.startswith(word), line
    for part in expected:
        assert part in line
    assert [path.name for path in tmp_path.iterdir()] == ["my.py"], "nothing is written, no bytecode either"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("use=nosuch.py", "use=nosuch.py: no such file"),
        ("use=nosuch", "use=nosuch: no such module; the name of a file ends in .py"),
        ("use=no.such", "use=no.such: no such module"),
        ("use=a.py,b.py", "use: one file"),
    ],
)
def test_there_is_no_such_file(word, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert the_line(word, "experiment=plain").startswith(expected)
    assert not list(tmp_path.iterdir())


def test_the_line_of_a_file_that_it_imports(tmp_path, monkeypatch):
    write(tmp_path, "x = (\n", "broken_module_of_mine.py")
    monkeypatch.syspath_prepend(tmp_path)
    line = the_line(write(tmp_path, "import broken_module_of_mine\n"), "experiment=plain")
    assert line.endswith(f"my.py, {tmp_path / 'broken_module_of_mine.py'}, line 1: SyntaxError: '(' was never closed")


def test_a_file_may_add_nothing_and_is_imported_once(tmp_path):
    word = write(tmp_path, "import sys\nsys.imports_of_mine = getattr(sys, 'imports_of_mine', 0) + 1\n")
    settings = compose.compose([word, "experiment=plain"])
    compose.compose([word, "experiment=plain"])
    assert sys.imports_of_mine == 1
    del sys.imports_of_mine
    assert settings.use == word.removeprefix("use=")
    assert config_hash(settings) != config_hash(compose.compose(["experiment=plain"]))


def test_two_files_of_one_name_are_refused(tmp_path):
    (tmp_path / "other").mkdir()
    compose.compose([write(tmp_path, ""), "experiment=plain"])
    with pytest.raises(ConfigError, match=r"another file of this name is in use already, .*/my\.py; rename one"):
        compose.compose([write(tmp_path / "other", ""), "experiment=plain"])


def test_a_module_is_a_file_too(tmp_path, monkeypatch):
    write(tmp_path, TASK.replace("NAME", "of_a_module"), "module_of_mine.py")
    monkeypatch.syspath_prepend(tmp_path)
    settings = compose.compose(["use=module_of_mine", "experiment=plain", "task=of_a_module"])
    assert settings.task.name == "of_a_module"
    assert config_hash(settings)


NEIGHBOURS = {
    "beside it": ("import {a}", {"a.py": ""}),
    "relative": ("def f():\n    from . import {a}", {"a.py": ""}),
    "of a package": ("from {a}.b import c", {"a/__init__.py": "", "a/b.py": ""}),
    "imported by one beside it": ("import {a} as x", {"a.py": "import {a}_other\n", "a_other.py": ""}),
    "behind a line's end": ("import os, \\\n    {a}", {"a.py": ""}),
    "behind another word": ("x = 1; import {a}", {"a.py": ""}),
    "in brackets": ("from {a}.b import(c)", {"a/__init__.py": "", "a/b.py": "c = 1"}),
    "by its name as a text": ("import importlib\nimportlib.import_module('{a}')", {"a.py": ""}),
    "relative in a package": ("import {a}", {"a/__init__.py": "from .b import c\n", "a/b.py": ""}),
}


@pytest.mark.parametrize("case", NEIGHBOURS)
def test_a_module_beside_the_file_is_part_of_it(case, tmp_path):
    """Of the name of a run and of what made it; modules of the lab and what nothing imports are not."""
    line, texts = NEIGHBOURS[case]
    (folder := tmp_path / "mine").mkdir()
    own_file = pathlib.Path(write(folder, "import tasks, numpy\n" + line.format(a="a") + "\n").removeprefix("use="))
    alone = hashlib.sha256(own_file.read_bytes()).hexdigest()
    for name in ("tasks.py", "unused.py"):
        write(folder, "", name)
    assert code_hash(str(own_file)) == alone, "the names of runs whose files import none are what they were"
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        write(folder, text.format(a="a"), name)

    def today():
        code_hash.cache_clear()
        provenance._code.cache_clear()
        code = provenance.code(Base(use=str(own_file)))
        return code_hash(str(own_file)), {name: sha for name, sha in code.items() if name.startswith("use=")}

    name, code = today()
    assert code.keys() == {"use=my.py", *(f"use={file}" for file in texts)}
    last = [*texts][-1]
    (folder / last).write_text("# edited\n" + (folder / last).read_text())
    new_name, new_code = today()
    assert len({alone, name, new_name}) == 3
    assert {file for file in code if code[file] != new_code[file]} == {f"use={last}"}


@pytest.mark.slow
def test_a_file_of_data_whose_checksum_is_a_setting_is_looked_at(tmp_path):
    """And an edited module beside the file makes another run, as docs/adding-your-own.md says of both."""
    text = BOUNCE.replace("import dataclasses\n", "import dataclasses\nimport pathlib\n", 1)
    text = text.replace("from lab.config import kinds\n", "from lab.config import kinds\nfrom . import helper\n"
                        "from tasks.datasets.files import sha256\n")  # fmt: skip
    field = "    checksum: str = sha256(pathlib.Path(__file__).with_name('heights.csv'))\n"
    word = write(tmp_path, text.replace("    height: float", f"{field}    height: float"))
    for file in ("helper.py", "heights.csv"):
        write(tmp_path, "", file)
    words = (word, "kind=bounce", "name=bounce")
    assert "already done" not in sketching_lab(*words, cwd=tmp_path).stdout
    write(tmp_path, "1\n", "heights.csv")
    again = sketching_lab(*words, cwd=tmp_path).stdout
    assert re.search(r"run again, as checksum was e3b0\S+ and is \S+ today", again)
    assert "already done" in sketching_lab(*words, cwd=tmp_path).stdout
    assert len(finished(tmp_path)) == 1
    write(tmp_path, "FACTOR = 2\n", "helper.py")
    assert "already done" not in sketching_lab(*words, cwd=tmp_path).stdout
    assert len(finished(tmp_path)) == 2


def test_a_task_is_one_like_the_labs_own():
    words = [f"use={EXAMPLE}", "experiment=plain", "task=noisy"]
    (sweep,) = multirun.commands(["-m", *words, "task.noise=0.1,0.3", "task.num_context=3,4"])
    runs = point(sweep).runs
    assert [run.settings.task.noise for run in runs] == [0.1, 0.1, 0.3, 0.3]
    assert [len(program) for program in programs(runs)] == [2, 2], "the noise is traced"
    assert TASKS["noisy"]().noise == 0.5
    assert the_line(*words, "task.noise=-1") == "task.noise=-1.0: must be >= 0"
    assert "allowed: " in (line := the_line(*words[:2], "task=nosy"))
    assert "did you mean noisy?" in line
    assert the_line(*words, "task.nose=1").startswith("task.nose: no such key; did you mean noise?")
    assert the_line(*words, "shift.alpha=[2]").startswith("shift.alpha: task=noisy has a method sample of its own")


@pytest.fixture
def bounce(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(tmp_path, BOUNCE)


def finished(folder):
    return {mark.parent for mark in folder.glob("runs/*/*/DONE")}


def test_a_kind_and_its_figure_in_one_file(bounce, tmp_path, drawn):
    launch(bounce, "kind=bounce", "name=bounce", "height=3")
    (path,) = finished(tmp_path)
    summary = json.loads((path / "summary.json").read_text())
    assert (summary["kind"], summary["drawn"], summary["numbers"]["last"]) == ("bounce", "bounces", 0.75)
    assert [(claim["holds"], claim["measured"]) for claim in summary["claims"]] == [(True, {"share - 1/4": 0.0})]
    assert "A bounce is half as high." in (path / "report.html").read_text()
    assert json.loads((path / "environment.json").read_text())["own_code"] == {
        bounce.removeprefix("use="): code_hash(bounce.removeprefix("use="))
    }
    drawn, done = (path / "figures" / "bounces.png").read_bytes(), (path / "DONE").stat().st_mtime_ns
    launch(bounce, "kind=bounce", "name=bounce", "height=3.0")
    assert (path / "DONE").stat().st_mtime_ns == done, "it is not run again"
    (path / "figures" / "bounces.png").unlink()
    redraw([f"report={path}"])
    assert (path / "figures" / "bounces.png").read_bytes() == drawn


def test_a_sweep_of_a_kind_of_one_s_own(bounce, tmp_path):
    (words,) = multirun.commands(["-m", bounce, "kind=bounce", "name=bounce", "height=3,4"])
    launch(*words)
    (sweep,) = tmp_path.glob("runs/bounce/*/points.csv")
    rows = RunDirectory(sweep.parent).read_table("points")
    assert [(row["height"], row["last"], row["state"]) for row in rows] == [(3.0, 0.75, "done"), (4.0, 1.0, "done")]
    assert len(finished(tmp_path)) == 3
    assert len(json.loads((sweep.parent / "summary.json").read_text())["claims"]) == 2


def test_no_name_and_no_such_kind(bounce):
    assert "for a kind of your own kind=KIND name=NAME" in the_line(bounce, "kind=bounce")
    assert "did you mean bounce?" in the_line(bounce, "kind=bounc", "name=x")
    assert the_line(bounce, "kind=bounce", "name=x", "height=-1") == "height=-1.0: must be > 0"
    assert the_line(bounce, "kind=bounce", "name=x", "figure=bounce").startswith("figure=bounce: no such figure")


def test_a_kind_without_a_figure(bounce, tmp_path):
    run = "class Run:\n    def run(self, records):\n        pass\n\n"
    write(tmp_path, run + KIND.replace("NAME", "bare").replace("CLASS", "Bare").replace("None)", "Run())"), "bare.py")
    launch("use=bare.py", "kind=bare", "name=bare")
    (path,) = finished(tmp_path)
    assert json.loads((path / "summary.json").read_text())["drawn"] is None
    redraw([f"report={path}"])


def test_a_report_without_the_file_says_what_it_lacks(bounce, tmp_path, capsys):
    """Where the figure is the lab's."""
    (words,) = multirun.commands(["-m", bounce, "kind=bounce", "name=bounce", "height=3,4"])
    launch(*words)
    (sweep,) = tmp_path.glob("runs/bounce/*/points.csv")
    capsys.readouterr()
    redraw([f"report={sweep.parent}"])
    assert "note" not in capsys.readouterr().out
    del sys.modules["lab.config.user_modules.my"]
    redraw([f"report={sweep.parent}"])
    assert f"note: {sweep.parent} was made with {bounce}; without it" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("launcher", [["joblib", "launcher.n_jobs=2"], ["submitit_local"]])
def test_a_launcher_gives_the_table_of_a_sweep_without_one(launcher, tmp_path):
    """Each of joblib's processes is sent objects of the file's classes before it reads its command line."""
    tables, (name, *settings) = [], launcher
    words = ["-m", write(tmp_path, BOUNCE), "kind=bounce", "name=bounce", "height=3,4"]
    for run, more in ((lab, [f"launcher={name}", *settings]), (lab_here, [])):
        (folder := tmp_path / run.__name__).mkdir()
        done = run(*words, *more, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert len(finished(folder)) == 3
        (table,) = folder.glob("runs/bounce/*/points.csv")
        tables.append(table.read_text())
    assert tables[0] == tables[1]


@pytest.mark.slow
def test_a_report_again_needs_the_file(tmp_path):
    """In processes of their own, that know of the file only what the command line says."""
    word = write(tmp_path, BOUNCE)
    assert lab(word, "kind=bounce", "name=bounce", cwd=tmp_path).returncode == 0
    (path,) = finished(tmp_path)
    done = lab(f"report={path}", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        f"error: report={path}: no such figure: bounces; it is one of the user's own, so add {word}, "
        "the file that registers it\n"
    )
    (path / "figures" / "bounces.png").unlink()
    done = lab(word, f"report={path}", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (path / "figures" / "bounces.png").exists()
    with pytest.raises(UserError, match="no other word but"):
        redraw([f"report={path}", "seed=1"])


@pytest.mark.slow
def test_the_example(tmp_path, monkeypatch):
    """A task, a learner that is meta-trained and a figure of one's own, through the whole lab."""
    monkeypatch.chdir(tmp_path)
    words = [f"use={EXAMPLE}", "experiment=plain", "name=noisy", "task=noisy", "task.noise=0.3", "learners=[shrunk]"]
    launch(*words, "figure=floors", *TINY)
    (path,) = finished(tmp_path)
    directory = RunDirectory(path)
    for table, column in (("learners", "learner"), ("alignment", "with"), ("layers", "learner")):
        assert "shrunk" in {row[column] for row in directory.read_table(table)}, table
    columns = {"loss.shrunk", "train_loss.shrunk", "shrunk.prediction_l2", "shrunk.gradient_descent.prediction_l2"}
    assert columns <= directory.read_table("curves")[0].keys()
    beside = {(row["learner"], row["with"]) for row in directory.read_table("alignment")}
    assert {("transformer", "shrunk"), ("shrunk", "gradient_descent"), ("shrunk", "shuffled")} <= beside
    assert "ridge, learned penalty" in directory.read_summary()["answer"].lower()
    assert directory.has_arrays("learner_shrunk")
    summary = directory.read_summary()
    (claim,) = summary["claims"]
    assert claim["measured"]
    assert (claim["holds"], claim["why"]) == (None, "one seed, no verdict")
    assert "ridge, learned penalty" in {plain(row[0]) for block in generic.of_run(summary) for row in block.rows}
    launch(*words, *TINY)  # in the same directory, with the figure of every comparison
    assert finished(tmp_path) == {path}
    assert (path / "figures" / "training.png").exists()
    launch(*words, *TINY, "baselines.ridge_penalty=0.1")
    (other,) = finished(tmp_path) - {path}
    assert any(
        note.startswith("the training is that of noisy/") for note in RunDirectory(other).read_summary()["notes"]
    )
