"""Every kind of experiment on the words `TINY` of its settings: it comes to its end, listens to signals, is drawn again
without JAX, names a wrong key in one line, and fits a page and a narrow terminal. One of each loop is killed."""

import copy
import csv
import dataclasses
import math
import pathlib
import re
import shutil
import string
import subprocess
import sys
import types

import pytest

from analysis import figures
from analysis.figures.labels import main_names, registered
from analysis.figures.narrow import narrow
from analysis.report import generic, template, terminal, values
from analysis.report.blocks import Label, Table
from lab.config.kinds import KINDS
from lab.config.points import inputs
from lab.runs.directory import RunDirectory
from tests.command_line import ENVIRONMENT, ROOT, check_refused, lab_here, ran
from tests.lab.config.test_sentences import faults
from tests.run_files import check_experiment
from tests.tiny_runs import EACH_KIND, prepared, stopping, tiny_run, words_of

ALL = sorted(KINDS)
NOT_JUDGED = {  # kind: why some of its claims have no number in a tiny run
    "task_diversity": "its last claim needs a crossing of two curves",
    "decoder_speed": "where PyTorch is not installed",
    "online": "it has two tasks and three layers",
    "plateau": "of its few steps no seed waits",
    "dti_cost": "its claim on a table of the source needs a window of 20",
}


@pytest.fixture
def tiny(kind, tmp_path_factory):
    return tiny_run(tmp_path_factory, kind)


@pytest.mark.parametrize("kind", EACH_KIND)
def test_it_comes_to_its_end_and_leaves_what_is_promised(kind, tiny):
    experiment = tiny.directory.parent.name
    summary = check_experiment(tiny.directory, experiment, measured=None if kind in NOT_JUDGED else True)
    assert kind in (summary["kind"], *(point["kind"] for point in summary.get("points", {}).values()))
    assert tiny.checks > 1, "it listens on the way"


@pytest.mark.parametrize("kind", EACH_KIND)
def test_its_tables_fit_a_narrow_terminal(kind, tiny, monkeypatch, capsys):
    """Captions are left to the terminal, which breaks them; tables come in parts."""
    monkeypatch.setattr(terminal.CONSOLE, "_width", 40)
    blocks = generic.of_points(tiny.summary) if "points" in tiny.summary else generic.of_run(tiny.summary)
    for block in blocks:
        if isinstance(block, Table):
            terminal._print(dataclasses.replace(block, caption=""))
    lines = capsys.readouterr().out.splitlines()
    assert not [line for line in lines if len(line) > 40]


@pytest.mark.parametrize("kind", EACH_KIND)
def test_its_tables_name_their_rows_in_a_terminal(kind, tiny, monkeypatch, capsys):
    """At 80 columns each row's name is there in one line, in every part of a table."""
    monkeypatch.setattr(terminal.CONSOLE, "_width", 80)
    for block in generic.of_points(tiny.summary) if "points" in tiny.summary else generic.of_run(tiny.summary):
        if isinstance(block, Table):
            terminal._print(dataclasses.replace(block, caption=""))
            lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
            names = [row[0].text if isinstance(row[0], Label) else str(row[0]) for row in block.rows]
            parts = sum(line.startswith(block.heads[0]) for line in lines)
            lost = [name for name in names if not sum(line.startswith(name) for line in lines) >= parts >= 1]
            assert not lost


@pytest.mark.parametrize("kind", EACH_KIND)
def test_each_panel_of_its_figure_for_narrow_screens_names_its_case(kind, tiny):
    from analysis.figures import style

    directory = RunDirectory(tiny.directory)
    with style.paper(), style.closed(), narrow():
        figure = figures.load(directory.read_summary()["drawn"]).draw(directory)
        style.arrange(figure)
        panels = [panel for panel in figure.axes if panel.get_subplotspec() is not None]
        titles = [panel.get_title() or panel.get_title(loc="left") for panel in panels]
    assert titles
    assert len(titles) == 1 or all(titles)
    assert len({*titles}) == len(titles)


def test_a_finished_run_is_drawn_for_a_paper_and_nothing_else(tmp_path_factory, tmp_path):
    """By its command and from its tables: it keeps its name, and no other file of it changes."""
    tiny = tiny_run(tmp_path_factory, "comparison")
    shutil.copytree(tiny.folder / "runs", tmp_path / "runs")
    before = contents(tmp_path / "runs")
    directory = tiny.directory.relative_to(tiny.folder)
    for words in ([*words_of("comparison"), "style=paper"], [f"report={directory}", "style=paper"]):
        ran(*words, cwd=tmp_path)
        made = {path: each for path, each in contents(tmp_path / "runs").items() if before.get(path) != each}
        stem = f"{directory.relative_to('runs')}/figures/{tiny.summary['drawn']}_paper"
        assert {f"{stem}.pdf", f"{stem}.png", f"{stem}.tex"} <= made.keys()
        if words[0] != f"report={directory}":
            assert {path for path in made if not path.startswith(stem)} == {f"{directory.relative_to('runs')}/.written"}
        assert made[f"{stem}.tex"].startswith(b"\\begin{figure")
    check_refused(
        lab_here(f"report={directory}", "style=poster", cwd=tmp_path), "style=poster: allowed are screen, paper"
    )


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", EACH_KIND)
def test_the_answer_is_made_from_the_numbers_that_its_kind_names(kind, tiny):
    """A clause whose numbers nobody measures would be left out silently. Asked of the first clause with numbers: a tiny
    run need not have the numbers of others."""
    if "results" not in KINDS[kind].parts:
        return
    results, runs = KINDS[kind].load("results"), tiny.summary.get("points", {"": tiny.summary}).values()
    verbs = getattr(results, "VERBS", {})
    parsed = {clause: {name for _, name, _, _ in string.Formatter().parse(clause) if name} for clause in results.ANSWER}
    first = next(clause for clause, names in parsed.items() if names - verbs.keys())
    alone = types.SimpleNamespace(ANSWER=(first,), VERBS=verbs)
    assert any(template.answer_of_run(alone, run) for run in runs), first


LONG = re.compile(r"\d+\.\d+(?:e[+-]\d+)?|\d{3,}")  # numbers that are no small count
WHOLE = re.compile(r"(?<![\w.])\d{1,2}(?![\w.]?\d)")  # small counts, and numbers that are whole to three digits
BAD = re.compile(r"\bnan\b|\binf\b|\bNone\b(?! of the)|\b0 of 0\b|  |\.\.|;\.|\(\)|; ;|[{}]")


def numbers_of(summary: dict) -> list[float]:
    """All numbers of a summary that an answer may be made of."""
    runs = [summary, *summary.get("points", {}).values()]
    judged = [claim["measured"] for run in runs for claim in run["claims"]]
    every = [value for each in (*(run.get("numbers", {}) for run in runs), *judged) for value in each.values()]
    return [abs(value) for value in every if isinstance(value, float) and math.isfinite(value)]


@pytest.mark.parametrize("kind", EACH_KIND)
def test_it_answers_with_its_numbers_and_seeds(kind, tiny):
    """The answer, that of each point and of a sweep of them, has numbers of the summary and the number of seeds."""
    summary = tiny.summary
    runs = [*summary.get("points", {"": summary}).values()]
    for each in (summary, *runs, sweep_of(runs)):
        answer = generic.answer(each)
        assert answer[0].isupper()
        assert answer.endswith(".")
        assert not BAD.search(answer), answer
        known = numbers_of(each)
        rounded = {f"{x:.3g}" for x in known}  # a measured 0.9997 reads "1"
        texts = [text for text in LONG.findall(answer) if float(text)]
        texts += [text for text in WHOLE.findall(answer) if text in rounded]
        shown = [text for text in texts if any(math.isclose(abs(float(text)), x, rel_tol=0.06) for x in known)]
        assert shown, f"{kind}: no number of the summary is in: {answer}"
        assert re.search(r"seed", answer), answer
    if seeds := read_seeds(tiny.directory, summary):
        assert values.seeds(summary) == len(seeds), "as many as the tables have"


def sweep_of(runs: list[dict]) -> dict:
    """Return the summary of a sweep of these runs, as `-m` makes it: its claims are those of its points."""
    points = {f"point {number}": run for number, run in enumerate([*runs, runs[0]])}
    claims = [claim | {"point": name} for name, run in points.items() for claim in run["claims"]]
    return {"kind": runs[0]["kind"], "settings": {}, "claims": claims, "points": points, "failed": {}}


def read_seeds(directory: pathlib.Path, summary: dict) -> set[str]:
    """Return the seeds that the tables of a run have in their column `seed`; none without such a column."""
    seeds = set()
    for name in summary["tables"]:
        with open(directory / f"{name}.csv", newline="") as file:
            seeds |= {row["seed"] for row in csv.DictReader(file) if row.get("seed")}
    return seeds


@pytest.mark.parametrize("kind", EACH_KIND)
def test_its_answer_follows_the_numbers(kind, tiny):
    """Other numbers make another answer; of those that are not known nothing is said, and nothing fails."""
    summary = tiny.summary
    runs = [*summary["points"].values()] if "points" in summary else [summary]
    before = generic.answer(summary)
    paired = copy.deepcopy(summary)
    for claim in paired["claims"]:
        claim |= {"measured": {}, "errors": {}, "intervals": {}}
    assert generic.answer(paired) == before, "it is made of headline numbers alone"
    for name in dict.fromkeys(name for run in runs for name in run["numbers"]):
        lacking = copy.deepcopy(summary)
        for run in lacking["points"].values() if "points" in lacking else [lacking]:
            run["numbers"][name] = None
        assert not BAD.search(generic.answer(lacking)), f"{name}: {generic.answer(lacking)}"
    nothing = copy.deepcopy(paired)
    for run in nothing["points"].values() if "points" in nothing else [nothing]:
        run |= {"numbers": {}, "claims": []}
    assert generic.answer(nothing) not in ("", before)
    assert not BAD.search(generic.answer(nothing))


@pytest.mark.parametrize("kind", EACH_KIND)
def test_its_numbers_have_a_label_and_a_sentence(kind, tiny):
    runs = tiny.summary.get("points", {"": tiny.summary}).values()
    names = {name for run in runs for name in main_names(run["numbers"])}
    assert names
    words = {name: registered(kind, name) for name in names}
    assert not [name for name, word in words.items() if word is None]
    assert not {name: wrong for name, word in words.items() if word and (wrong := faults(word.sentence))}


@pytest.mark.parametrize("kind", ALL)
def test_a_wrong_key_is_one_line(kind, tmp_path):
    prepared(kind, tmp_path)
    check_refused(lab_here(*words_of(kind), "nosuch=1", cwd=tmp_path), "nosuch: no such key; ")
    assert not (tmp_path / "runs").exists()


WITHOUT_JAX = f"""
import sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("jax", "jaxlib", "flax", "optax"):
            raise ImportError(f"{{name}} is imported")

sys.meta_path.insert(0, Refusing())
sys.path.insert(0, {str(ROOT)!r})
import run
from tests.sketch import small
with small():
    run.main()
"""


@pytest.mark.slow
def test_figures_and_reports_are_drawn_again_without_jax(tmp_path_factory, tmp_path):
    """Those of all kinds by one command, byte for byte."""
    tinies = [tiny_run(tmp_path_factory, kind) for kind in ALL]
    shutil.copytree(tinies[0].folder / "runs", tmp_path / "runs")
    directories = [tiny.directory.relative_to(tiny.folder) for tiny in tinies]
    shown = [
        path.relative_to(tmp_path)
        for directory in directories
        for path in (tmp_path / directory).rglob("*")
        if path.suffix in (".png", ".svg", ".pdf", ".html", ".md")
    ]
    assert len(shown) > 4 * len(ALL)
    for path in shown:
        (tmp_path / path).unlink()
    words = ["run.py", "report=" + ",".join(map(str, directories))]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv = {words!r}\n{WITHOUT_JAX}"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {path for path in shown if not (tmp_path / path).exists()} == set()
    assert {path for path in shown if (tmp_path / path).read_bytes() != (tinies[0].folder / path).read_bytes()} == set()


def tables(folder: pathlib.Path, directory: pathlib.Path) -> dict[str, list]:
    """{path from the folder: rows} of a run and of the points of a sweep, but for what a training took."""
    found = {}
    for path in sorted(folder.glob(f"{directory.parent}/*/*.csv")):
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
        found[str(path.relative_to(folder))] = rows[0] if path.name == "spent.csv" else rows
    return found


# One kind of each loop, which are killed everywhere in tests/trainers: here the command goes on.
KILLED = ("comparison", "demonstration_choice")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KILLED)
def test_goes_on_after_a_kill(kind, tiny, tmp_path):
    """It is stopped about the middle; then the same command comes to the same tables, and repeats less than all."""
    root = prepared(kind, tmp_path)
    for needed in inputs(root):
        directory = RunDirectory.of(needed.settings).path
        shutil.copytree(tiny.folder / directory, tmp_path / directory)
    words = [*words_of(kind), "checkpoint.every=0"]
    with stopping(at=tiny.checks // 2):
        stopped = lab_here(*words, cwd=tmp_path)
    assert stopped.returncode == 130
    with stopping() as asked:
        done = lab_here(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    directory = tiny.directory.relative_to(tiny.folder)
    after, before = (tables(folder, directory) for folder in (tmp_path, tiny.folder))
    assert after
    assert after == {path: before[path] for path in after}
    assert asked[0] < tiny.checks, "what was done is not done again"


@pytest.mark.slow
def test_a_loss_that_diverges_is_refused(tmp_path):
    """In the loop of evaluations; tests/trainers/test_study.py has the other."""
    done = lab_here(*words_of("comparison"), "train.learning_rate=1e10", cwd=tmp_path)
    check_refused(done, "train.learning_rate")
    assert "step" in done.stderr or "seed" in done.stderr
    assert not list(tmp_path.glob("runs/*/*/DONE"))
