"""Directories that somebody else made: nothing of them is executed or shown as HTML."""

import pathlib
import re
import sys

import pytest

import lab as library
from lab.config import multirun
from lab.errors import ConfigError, UserError
from tests.analysis.shelf.runs import run, seeded
from tests.command_line import lab, lab_here

COMMANDS = {  # stored words of somebody else's that name a file or a module, {0}, to be executed
    "of a sweep": "-m use={0}.py experiment=plain seed=1,2",
    "of a run": "use={0}.py experiment=plain",
    "quoted": """-m 'use="{0}.py"' experiment=plain seed=1,2""",
    "before a space": "-m 'use ={0}.py' experiment=plain seed=1,2",
    "twice": "-m use={0}.py use=my.py experiment=plain seed=1,2",
    "from the environment": "-m 'use=${{oc.env:EVIL}}' experiment=plain seed=1,2",
    "in a grid": """experiment=plain 'grid=["use={0}.py,x.py"]'""",
    "in a part": """experiment=plain '+parts.a=["use={0}.py"]'""",
    "in a size": """experiment=plain '+other_sizes.x=["use={0}.py"]' size=x""",
    "of what it starts from": """experiment=icl_vs_finetune 'model.words=["use={0}.py"]'""",
    "of a language model": """experiment=language_choice 'lm.words=["use={0}.py"]'""",
    "a module": "-m use={1} experiment=plain seed=1,2",
    "a folder of settings": "-m --config-dir={2} experiment=evil seed=1,2",
    "a launcher": "-m launcher=joblib use={0}.py experiment=plain seed=1,2",
    "too many": "-m experiment=plain 'seed=range(0,10000000000)'",
    "no command": "experiment='plain",
    "nothing": "",
}


def everything(folder: pathlib.Path, *words: str) -> str:
    done = lab_here("runs", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_opened_or_refused(directory: pathlib.Path) -> bool:
    """Whether `lab.load` opens a directory; if not, it says why in one line."""
    line = ""
    try:
        repr(library.load(str(directory)))
    except UserError as error:
        line = str(error)
    assert line.isprintable()
    return not line


TEXTS = {
    "summary.json": [
        "",
        "[]",
        "{",
        '{"numbers": {"x": 1' + "0" * 400 + '}, "claims": [3, {"holds": "x"}], "tables": [{}, "../key"]}',
        '{"answer": 3, "kind": {}, "points": 7, "seconds": {"total": NaN}, "numbers": {"loss": Infinity}}',
        '{"kind": "comparison", "points": {"a": 3}}',
    ],
    "config.yaml": [
        "- 1",
        "!!python/object/apply:os.system [touch executed]",
        "1: 2\n? [a, b]\n: 3\n",
        "x: 2001-99-99",
    ],
    "metrics.jsonl": ["3\n[]\n{", '{"members": [3, {"step": "x"}, {"step": NaN}, {"loss": 1.0}]}'],
    "provenance.json": ['{"code": 3}', '{"code": {"a": []}}'],
    "points.csv": ["point,run\na,../../x\n", "point\n1\n", "run\n\0\n"],
    "seeds.csv": ["seed,loss\n1", "seed\n\n\n,,,", "\0", 'seed,loss\n0,"1\n'],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in TEXTS.items() for text in texts])
def test_damaged_files_are_no_error(tmp_path, name, text):
    numbers, rows = seeded({0: 1.0, 1: 2.0})
    directory = run(tmp_path, numbers=numbers, seeds=rows, losses={0: [1.0], 1: [0.5]})
    run(tmp_path, "bbbbbbbbbb", numbers=numbers, seeds=rows)
    (directory.path / name).write_text(text)
    assert "2 runs in runs" in everything(tmp_path)
    done = lab_here("runs", "compare", "aaa", "bbb", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert lab_here("runs", "paths", "aaa", cwd=tmp_path).stdout.split() == ["runs/plain/aaaaaaaaaa"]
    assert "bbbbbbbbbb" in lab_here("runs", "stale", cwd=tmp_path).stdout
    for word in (f"report={directory.path}", f"decide={directory.path}"):
        assert lab_here(word, cwd=tmp_path).stderr.count("\n") <= 1
    assert_opened_or_refused(directory.path)
    assert not list(tmp_path.rglob("executed"))


@pytest.mark.parametrize("word", ["--config-dir=x", "-c", "x/launcher=x", "launcher=joblib",
                                  "launcher.n_jobs=2", "sweep.stage=train",
                                  "experiment"])  # fmt: skip
def test_words_that_no_stored_command_has_are_refused(word):
    with pytest.raises(ConfigError, match="not read from a stored command; allowed are"):
        multirun.stored(["experiment=plain", word])
    words = ["experiment=fig2", "~parts.sigma", "+parts.a=['seed=1']"]
    assert multirun.stored(words) == words


def test_nothing_that_a_stored_command_names_is_executed(tmp_path, monkeypatch):
    """Nor does it hang or fill the machine, or end in a traceback: `lab_here` raises what is no line."""
    evil = tmp_path / "elsewhere"
    (evil / "evil_package").mkdir(parents=True)
    mark = f"import pathlib\npathlib.Path({str(tmp_path / 'executed')!r}).touch()\n"
    for name in ("evil.py", "evil_package/__init__.py", "evil_package/x.py"):
        (evil / name).write_text(mark)
    (evil / "evil.yaml").write_text(f"kind: comparison\nuse: {evil / 'evil.py'}\n")
    monkeypatch.syspath_prepend(evil)
    monkeypatch.setenv("EVIL", str(evil / "evil.py"))
    monkeypatch.chdir(tmp_path)
    kept = tmp_path / "training" / "made_by.txt"  # as a figure is called
    kept.parent.mkdir()
    run(tmp_path, "honest")
    for name, words in COMMANDS.items():
        command = f"python run.py {words.format(evil / 'evil', 'evil_package', evil)}"
        place = run(tmp_path, name.replace(" ", "_"), command=command).path
        kept.write_text(f"{command}\n")
        for decide in (f"decide={place}", "decide=training"):
            done = lab_here(decide, "minutes=0", cwd=tmp_path)
            assert done.stderr.count("\n") <= 1
            assert len(done.stderr) < 1000
        assert not assert_opened_or_refused(place)
        assert not (tmp_path / "executed").exists(), name
    for words in (("runs",), ("runs", "stale"), ("runs", "plain", "stale"), ("runs", "compare", "honest", "nothing")):
        done = lab_here(*words, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "honest" in done.stdout
    assert not (tmp_path / "executed").exists()
    assert not {"evil_package", "evil"} & {*sys.modules}


def test_texts_are_neither_html_nor_commands_to_the_terminal(tmp_path):
    evil = "</script><script>alert(1)</script><!-- \x1b[2J\x1b]0;title\x07 [red]x[/red] \u2028 & {{7*7}} /*DATA*/"
    numbers = {evil: 1.0, "loss": 2.0}
    claims = [{"statement": evil, "holds": True}]
    directory = run(tmp_path, numbers=numbers, answer=evil, claims=claims, command=evil)
    run(tmp_path, "bbbbbbbbbb", numbers=numbers, answer=evil, claims=claims, command=evil)
    config = (directory.path / "config.yaml").read_text()
    (directory.path / "config.yaml").write_text(f"{config}\n'<b>{{{{': '</script>'\n")
    for words in (("runs",), ("runs", "compare", "aaa", "bbb"), ("runs", "paths", "aaa")):
        done = lab_here(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", done.stdout)
    assert "[red]x[/red]" in lab("runs", cwd=tmp_path, COLUMNS="400").stdout
