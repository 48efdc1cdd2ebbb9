"""What a user sees: lists, help, the command that repeats a run, and compiled programs that are kept."""

import pathlib
import re
import subprocess

import pytest

from lab.config import multirun
from lab.config.compose import compose
from lab.config.experiments import experiments, groups, print_questions
from lab.config.identity import config_hash
from lab.runs import console
from lab.runs.machine import HARMLESS
from tests.command_line import ENVIRONMENT, ROOT, check_refused, command, lab, lab_here, python, ran, sketching_lab


def test_help_needs_no_docstrings(tmp_path):
    """Which python -OO removes; Python writes some of its own then."""
    words = ["experiment=plain", "--help"]
    done = python("-OO", *command(*words)[1:], cwd=tmp_path)
    whole = lab_here(*words, cwd=tmp_path).stdout.splitlines()
    sections = {line.partition(":")[0]: line for line in whole if re.match(r"[a-z]+: ", line)}
    assert "model" in sections
    left = [line for line in done.stdout.splitlines() if line not in whole]
    assert {*left} <= {f"{name}:" for name in sections}


def test_a_backend_of_another_program_s_is_not_asked_for(tmp_path):
    """Matplotlib refuses at its import one that it does not know."""
    code = "import sys; sys.argv = ['run.py', 'runs', 'help']; import run; run.main(); import matplotlib"
    python("-c", code, cwd=tmp_path, MPLBACKEND="Qt4Agg")


def test_alone_it_names_the_experiments(tmp_path):
    """On one screen of 80 columns."""
    done = ran(cwd=tmp_path, COLUMNS="80")
    named = done.stdout.partition("\n\n")[2].rpartition("\n\n")[0]
    words = {*named.replace(",", " ").split()}
    assert {*experiments()} <= words
    assert len(named.splitlines()) < 40
    assert [line.partition(":")[0] for line in named.splitlines() if line[0] != " "] == [*groups()]


def test_the_list_of_a_word_has_what_is_about_it(tmp_path):
    """The quickest first. Of a source also the experiments that it runs, not those of others that all sources name."""
    done = lab_here("list", "GARG", cwd=tmp_path, COLUMNS="200")
    names = re.findall(r"^  (\w+)", done.stdout, re.MULTILINE)
    assert names[-1] == "garg22"
    assert {"functions_sparse", "curriculum"} <= {*names}
    assert not {"dai", "everything", "plain"} & {*names}
    assert "  layer_norm " in lab_here("list", "layer", "NORM", cwd=tmp_path).stdout
    for word in ("csv", "movielens"):
        assert "  click_log " in lab_here("list", word, cwd=tmp_path).stdout
    assert "  tabular " in lab_here("list", "CSV", cwd=tmp_path).stdout
    done = lab_here("list", "nosuch", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "error: list nosuch: no experiment is about that; `list` has all\n")
    line = "error: list sweep: no experiment is about that; docs/sweeps.md is; `list` has all\n"
    assert lab_here("list", "sweep", cwd=tmp_path).stderr == line


@pytest.mark.parametrize("columns", [20, 60, 200])
def test_the_list_has_each_question(columns, tmp_path):
    done = ran("list", cwd=tmp_path, COLUMNS=str(columns))
    listed = done.stdout.split("\n\nIn brackets")[0].splitlines()[1:]
    assert max(map(len, listed)) <= max(columns, 40)
    text = " ".join(done.stdout.split())
    assert all(f" {name} {question} " in text for name, question in experiments().items())
    assert [line for line in listed if line and line[0] != " "] == [*groups()]


def test_an_experiment_without_a_group_is_listed_last(tmp_path, monkeypatch, capsys):
    for name, comments in {"b": "# Shows b.\n# Group: Mine\n", "a": "# Shows a.\n", "c": "# Shows c.\n"}.items():
        (tmp_path / f"{name}.yaml").write_text(f"{comments}name: {name}\n")
    monkeypatch.setattr("lab.config.experiments.FILES", {path.stem: path for path in tmp_path.glob("*.yaml")})
    assert groups() == {"Mine": ["b"], "Others": ["a", "c"]}
    print_questions({})
    printed = capsys.readouterr().out
    assert printed.index("Mine\n  b  Shows b.") < printed.index("Others\n  a  Shows a.\n  c  Shows c.")


def test_no_jax_before_there_is_something_to_compute(tmp_path):
    """What makes these answers instant is that JAX, Flax, Matplotlib and NumPy are not imported for them. What is known
    of devices without JAX is what JAX says."""
    done_run = ["experiment=dual_form", "cases=2", "topics=[linear]"]
    ran(*done_run, cwd=tmp_path)
    asked = [
        [],
        ["list"],
        ["--help"],
        ["experiment=dual_form", "--help"],
        ["experiment=nosuch"],
        ["experiment=rag_dot", "+typo=1"],
        done_run,
    ]
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "import run\n"
        f"for words in {asked!r}:\n"
        "    sys.argv = ['run.py', *words]\n"
        "    try:\n        run.main()\n    except SystemExit:\n        pass\n"
        "print([name for name in ('jax', 'flax', 'matplotlib', 'numpy') if name in sys.modules])\n"
        "from lab.runs.environment import computed_by\n"
        "known = computed_by()\nimport jax\nprint(known == computed_by())"
    )
    others = ("JAX_", "XLA_")
    plain = {key: value for key, value in ENVIRONMENT.items() if not key.startswith(others) or key in HARMLESS}
    done = subprocess.run(
        [*command()[:1], "-c", script], cwd=tmp_path, env=plain, capture_output=True, text=True, check=True
    )
    assert "already done" in done.stdout
    assert "was computed with flags " in done.stdout, "tests set some, and this process has none"
    assert done.stdout.splitlines()[-2:] == ["[]", "True"]


def test_help_about_a_sweep_is_about_its_first_run(tmp_path):
    done = ran("-m", "experiment=plain", "seed=3,4", "--help", cwd=tmp_path)
    assert "seed=3 " in done.stdout


def test_the_command_of_a_sweep_is_that_of_the_user(monkeypatch, tmp_path):
    roots = []
    monkeypatch.setattr("trainers.launch.launch", roots.append)
    words = ["-m", "experiment=plain,rag_dot", "seed=0,1", "train.steps=5", "run.force=true"]
    ran(*words, cwd=tmp_path)
    commands = [console.command(root.shown_words) for root in roots]
    assert commands == [f"python run.py -m experiment={name} seed=0,1 train.steps=5" for name in ("plain", "rag_dot")]
    for root, line in zip(roots, commands, strict=True):
        again = compose(multirun.stored(multirun.split(line)))
        assert config_hash(again) == config_hash(root.settings), "it can be read again"
    lab_here("experiment=plain", "grid=['seed=0,1']", cwd=tmp_path)
    assert roots[-1].shown_words == ["experiment=plain", "grid=['seed=0,1']"], "without -m it is as it was given"


def test_a_terminal_of_no_width(tmp_path):
    assert "0 runs in runs" in lab("runs", cwd=tmp_path, COLUMNS="0").stdout


def test_a_folder_that_is_gone(tmp_path):
    (tmp_path / "gone").mkdir()
    here = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *command("report=x")]
    done = subprocess.run(here, cwd=tmp_path / "gone", env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.stderr == "error: the folder in which this was called is no longer there; go to another one\n"


def test_a_home_that_nobody_knows(tmp_path):
    done = lab_here("experiment=click_log", "data.path=~nosuch/u.data", cwd=tmp_path)
    check_refused(done, "determine home directory; set HOME, or give a path without ~")


@pytest.mark.slow
def test_a_console_that_knows_ascii_alone(tmp_path):
    done = lab("experiment=dual_form", "cases=2", "topics=[linear]", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    (seconds,) = re.findall(r"seconds: total ([\d.]+); this process so far: ([\d.]+)", done.stdout)
    assert float(seconds[0]) < float(seconds[1])
    listed = lab(cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert listed.returncode == 0, listed.stderr


def compiled(cache: pathlib.Path) -> set[str]:
    """The programs in JAX's cache below `$XDG_CACHE_HOME`."""
    return {path.name for path in (cache / "icl-gd-lab" / "jax").glob("*-cache")}


@pytest.mark.slow
def test_the_same_run_compiles_nothing_a_second_time(tmp_path, monkeypatch):
    """JAX writes one file per program that it compiles; run.force=true repeats all of a run but its compilation."""
    for name in [name for name in ENVIRONMENT if name.startswith(("JAX_COMPILATION_CACHE", "JAX_PERSISTENT"))]:
        monkeypatch.delitem(ENVIRONMENT, name)
    words, cache = ["experiment=dual_form", "cases=2", "topics=[linear]", "run.force=true"], tmp_path / "cache"
    assert sketching_lab(*words, cwd=tmp_path, XDG_CACHE_HOME=str(cache)).returncode == 0
    first = compiled(cache)
    assert len(first) > 5
    assert sketching_lab(*words, cwd=tmp_path, XDG_CACHE_HOME=str(cache)).returncode == 0
    assert compiled(cache) == first
    without = sketching_lab(*words, "device.cache=false", cwd=tmp_path, XDG_CACHE_HOME=str(tmp_path / "no"))
    assert without.returncode == 0, without.stderr
    assert not (tmp_path / "no" / "icl-gd-lab").exists()
