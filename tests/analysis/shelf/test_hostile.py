"""Directories that somebody else made: no link is followed, and nothing of them is executed or shown as HTML."""

import os
import pathlib
import re
import sys

import pytest

import lab as library
from lab.config import multirun
from lab.errors import ConfigError, UserError
from lab.runs import safe_read
from tests.analysis.shelf.runs import run, seeded
from tests.command_line import lab, lab_here, ran

SECRET = "a key that nobody else may read"
COMMANDS = {  # stored words of somebody else's that name a file or a module, {0}, to be executed
    "of a sweep": "-m use={0}.py experiment=plain seed=1,2",
    "of a run": "use={0}.py experiment=plain",
    "added": "-m +use={0}.py experiment=plain seed=1,2",
    "added by force": "-m ++use={0}.py experiment=plain seed=1,2",
    "quoted": """-m 'use="{0}.py"' experiment=plain seed=1,2""",
    "before a space": "-m 'use ={0}.py' experiment=plain seed=1,2",
    "behind a space": "-m ' use={0}.py' experiment=plain seed=1,2",
    "in a package": "-m use@x={0}.py experiment=plain seed=1,2",
    "removed": "-m ~use={0}.py experiment=plain seed=1,2",
    "twice": "-m use={0}.py use=my.py experiment=plain seed=1,2",
    "several": "-m use={0}.py,my.py experiment=plain seed=1,2",
    "from the environment": "-m 'use=${{oc.env:EVIL}}' experiment=plain seed=1,2",
    "in a grid": """experiment=plain 'grid=["use={0}.py,x.py"]'""",
    "in a part": """experiment=plain '+parts.a=["use={0}.py"]'""",
    "in a size": """experiment=plain '+other_sizes.x=["use={0}.py"]' size=x""",
    "in a size of a module": """experiment=plain '+other_sizes.x=["use={1}.x"]' size=x""",
    "of what it starts from": """experiment=icl_vs_finetune 'model.words=["use={0}.py"]'""",
    "of a language model": """experiment=language_choice 'lm.words=["use={0}.py"]'""",
    "a module": "-m use={1} experiment=plain seed=1,2",
    "a package": "-m use={1}.x experiment=plain seed=1,2",
    "a module before a space": "'use ={1}.x' experiment=plain",
    "a folder of settings": "-m --config-dir={2} experiment=evil seed=1,2",
    "short": "-m -cd {2} experiment=evil seed=1,2",
    "a path of settings": "-m --config-path={2} experiment=evil seed=1,2",
    "a run again": "-m --experimental-rerun={0}.py experiment=plain seed=1,2",
    "a launcher": "-m launcher=joblib use={0}.py experiment=plain seed=1,2",
    "another launcher": "-m '+launcher={{_target_: {1}.x}}' experiment=plain seed=1,2",
    "endless": """experiment=plain '++grid=["seed=1,2"]'""",
    "too many": "-m experiment=plain 'seed=range(0,10000000000)'",
    "far too many": """experiment=plain 'grid=["seed=shuffle(range(0,1e300))"]'""",
    "long": "experiment=plain " + "seed=1 " * 300_000,
    "a long word": "experiment=plain name=" + "x" * 3_000_000,
    "deep": "experiment=plain grid=" + "[" * 2000 + "]" * 2000,
    "no command": "experiment='plain",
    "nothing": "",
}


@pytest.fixture
def victim(tmp_path):
    """A folder outside of runs/, with a run in it."""
    folder = tmp_path / "elsewhere"
    run(folder, "5ecre7", answer=SECRET, losses={0: [1.0], 1: [0.5]})
    (folder / "key").write_text(SECRET)
    return folder


def everything(folder: pathlib.Path, *words: str) -> str:
    done = ran("runs", *words, cwd=folder)
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


def before(folder):
    return {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in folder.rglob("*")}


@pytest.mark.parametrize("name", ["summary.json", "config.yaml", "metrics.jsonl", "seeds.csv", "FAILED", ".lock"])
def test_a_file_that_is_a_link_is_not_read(tmp_path, victim, name):
    numbers, rows = seeded({0: 1.0, 1: 2.0})
    directory = run(tmp_path, numbers=numbers, seeds=rows)
    (directory.path / "DONE").unlink()
    (directory.path / name).unlink(missing_ok=True)
    source = victim / "runs" / "plain" / "5ecre7" / name
    (directory.path / name).symlink_to(source if source.exists() else victim / "key")
    kept = before(victim)
    assert SECRET not in everything(tmp_path)
    assert before(victim) == kept


def test_folders_that_are_links_are_not_listed(tmp_path, victim):
    run(tmp_path)
    (tmp_path / "runs" / "plain" / "linked").symlink_to(victim / "runs" / "plain" / "5ecre7")
    (tmp_path / "runs" / "linked").symlink_to(victim / "runs" / "plain")
    text = everything(tmp_path)
    assert "1 run in runs" in text
    assert "5ecre7" not in text


def test_a_pipe_and_a_folder_in_the_place_of_a_file_are_nothing(tmp_path):
    directory = run(tmp_path)
    for name in ("summary.json", "config.yaml"):
        (directory.path / name).unlink()
    os.mkfifo(directory.path / "summary.json")
    (directory.path / "config.yaml").mkdir()
    assert "1 run in runs" in everything(tmp_path)


TEXTS = {
    "summary.json": [
        "",
        "[]",
        "{",
        "[" * 100_000,
        '{"numbers": {"x": 1' + "0" * 400 + '}, "claims": [3, {"holds": "x"}], "tables": [{}, "../key"]}',
        '{"answer": 3, "kind": {}, "points": 7, "seconds": {"total": NaN}, "numbers": {"loss": Infinity}}',
        '{"kind": "comparison", "points": {"a": 3}}',
        '{"seconds": {"total": ' + "9" * 4000 + "}}",
        '{"a": ' * 900 + "1" + "}" * 900,
    ],
    "config.yaml": [
        "- 1",
        "a: &a\n  b: *a\n",
        "a: &a [x, x, x]\n"
        + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcd", "bcde", strict=True)),
        "!!python/object/apply:os.system [touch executed]",
        "{" * 50_000,
        "1: 2\n? [a, b]\n: 3\nx: 2001-01-01\n",
        "seed: " + "9" * 4000,
        "seed: 0x" + "f" * 5000,
        "seed: 1" + ":59" * 3000,
        "x: !!timestamp x",
        "x: 2001-99-99",
        "x: " + "[]," * 10**6,
    ],
    "metrics.jsonl": [
        "[" * 100_000,
        '{"members": [{"step": 0, "seed": 0, "loss": 1.7e308}, {"step": 0, "seed": 1, "loss": 1.7e308}]}\n'
        '{"members": [{"step": 1, "seed": 0, "loss": 1.7e308}, {"step": 1, "seed": 1, "loss": -1.7e308}]}',
        "3\n[]\n{",
        '{"members": 3}',
        '{"members": [3, {"step": "x"}, {"step": NaN}, {"loss": 1.0}]}',
    ],
    ".written": ["x" * 5000, "a\0b\n", "../../key\n/key\n.\n"],
    "provenance.json": ["[" * 100_000, '{"code": 3}', '{"code": {"a": []}}'],
    "points.csv": ["point,run\na,../../x\n", "point\n1\n", "run\n\0\n"],
    "seeds.csv": [
        "seed,evaluation,learner,loss\n0,test,transformer,1.7e308\n1,test,transformer,1.7e308\n",
        "seed,loss\n1",
        "seed\n\n\n,,,",
        "\0",
        'seed,loss\n0,"1\n',
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in TEXTS.items() for text in texts])
def test_damaged_files_are_no_error(tmp_path, name, text):
    numbers, rows = seeded({0: 1.0, 1: 2.0})
    directory = run(tmp_path, numbers=numbers, seeds=rows, losses={0: [1.0], 1: [0.5]})
    run(tmp_path, "bbbbbbbbbb", numbers=numbers, seeds=rows)
    (directory.path / name).write_text(text)
    assert "2 runs in runs" in everything(tmp_path)
    ran("runs", "compare", "aaa", "bbb", cwd=tmp_path)
    assert lab_here("runs", "paths", "aaa", cwd=tmp_path).stdout.split() == ["runs/plain/aaaaaaaaaa"]
    assert "bbbbbbbbbb" in lab_here("runs", "stale", cwd=tmp_path).stdout
    for word in (f"report={directory.path}", f"decide={directory.path}"):
        assert lab_here(word, cwd=tmp_path).stderr.count("\n") <= 1
    assert_opened_or_refused(directory.path)
    assert not list(tmp_path.rglob("executed"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &a [1]\nb: *a\n", "aliases"),
        ("a: " + "[" * safe_read.DEEPEST + "]" * safe_read.DEEPEST, "within too many others"),
        ("a: " + "9" * (safe_read.DIGITS + 1), "too many digits"),
        ("#" * (safe_read.LONGEST + 1), "characters"),
    ],
    ids=["aliases", "deep", "digits", "long"],
)
def test_settings_that_unfold_or_are_too_large_are_not_read(text, expected):
    with pytest.raises(ValueError, match=expected):
        safe_read.from_yaml(text)
    assert safe_read.from_yaml(f"a: {'[' * 19}{']' * 19}\nb: {'9' * 40}\n")


@pytest.mark.parametrize("word", ["--config-dir=x", "-c", "x/launcher=x", "launcher=joblib",
                                  "launcher.n_jobs=2", "hosts.auto=true", "++hosts={auto: true}", "sweep.stage=train",
                                  "experiment"])  # fmt: skip
def test_words_that_no_stored_command_has_are_refused(word):
    with pytest.raises(ConfigError, match="not read from a stored command; allowed are"):
        multirun.stored(["experiment=plain", word])
    words = ["experiment=fig2", "~parts.sigma", "+parts.a=['seed=1']"]
    assert multirun.stored(words) == words


def test_a_stored_command_has_a_bounded_length():
    assert multirun.split(f"python run.py {'x' * 9986}") == ["x" * 9986]
    with pytest.raises(ConfigError, match="10,001 characters, and at most 10,000 are read"):
        multirun.split(f"python run.py {'x' * 9987}")


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


def test_files_that_stored_commands_name_are_regular_and_not_too_large(tmp_path):
    """Their checksums are asked for, wherever they are."""
    names = ("pipe", "pipe.csv", "model/config.json", "huge", "large", "texts.csv")
    pipe, pipe_of_texts, pipe_of_a_model, huge, large, texts = (tmp_path / name for name in names)
    pipe_of_a_model.parent.mkdir()
    for path in (pipe, pipe_of_texts, pipe_of_a_model):
        os.mkfifo(path)
    for path, size in ((huge, 2**42), (large, 2**34)):
        with open(path, "wb") as file:
            file.truncate(size)
    texts.write_text("text,label\ngood,1\nbad,0\n")
    log = "experiment=click_log data=click_csv data.user=text data.time=label data.label=label 'data.features=[text]'"
    table, language = "experiment=tabular data=csv data.target=y", "experiment=language_dual"
    commands = {
        f"{table} data.path={pipe}": "no regular file",
        f"{table} data.path=/dev/zero": "no regular file",
        f"{table} data.path={huge}": "4,096 GiB; at most 4 GiB are read",
        f"{language} lm.path={pipe_of_a_model.parent} text.path={texts}": "config.json: is no regular file",
        f"{language} lm.path={tmp_path} text.path={huge}": "4,096 GiB; at most 4 GiB are read",
        f"{language} lm.path={tmp_path} text.path={pipe_of_texts}": "no regular file",
        f"{language} lm.path=someone/model lm.download=true text.path={texts}": "cannot be fetched",
        f"{log} data.path={large}": "17,179,869,184 bytes are too many for a command of unknown origin",
        f"{log} data.path={texts} train.epochs=1 data.cache={tmp_path / 'cache'}": "none is made",
    }
    for number, command in enumerate(commands):
        run(tmp_path, f"run{number}", command=f"python run.py {command}")
    everything(tmp_path)
    lines = lab_here("runs", "stale", cwd=tmp_path).stdout.splitlines()
    for line, expected in zip(lines, [*commands.values(), f", {len(commands)} not checked"], strict=True):
        assert expected in line
    assert not (tmp_path / "cache").exists()
    for number in range(len(commands)):
        assert not assert_opened_or_refused(tmp_path / "runs" / "plain" / f"run{number}")


def test_texts_are_neither_html_nor_commands_to_the_terminal(tmp_path):
    evil = "</script><script>alert(1)</script><!-- \x1b[2J\x1b]0;title\x07 [red]x[/red] \u2028 & {{7*7}} /*DATA*/"
    numbers = {evil: 1.0, "loss": 2.0}
    claims = [{"statement": evil, "holds": True}]
    directory = run(tmp_path, numbers=numbers, answer=evil, claims=claims, command=evil)
    run(tmp_path, "bbbbbbbbbb", numbers=numbers, answer=evil, claims=claims, command=evil)
    config = (directory.path / "config.yaml").read_text()
    (directory.path / "config.yaml").write_text(f"{config}\n'<b>{{{{': '</script>'\n")
    for words in (("runs",), ("runs", "compare", "aaa", "bbb"), ("runs", "paths", "aaa")):
        done = ran(*words, cwd=tmp_path)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", done.stdout)
    assert "[red]x[/red]" in lab("runs", cwd=tmp_path, COLUMNS="400").stdout
