"""Further seeds decide undecided claims: a sequential test whose chance of a wrong verdict is at most what it says."""

import bisect
import pathlib
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import scipy.stats

from analysis import figures
from analysis.figures.claim import Claim, Outcome
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, estimate, exact
from analysis.figures.evidence import above, within
from analysis.report.publish import publish
from analysis.tables.extra_seeds import Further
from analysis.tables.in_memory import Tables
from analysis.tables.select import rows_where, table
from lab.config.points import Point
from lab.runs.directory import RunDirectory
from tests.command_line import TINY, check_refused, lab_here, ran
from trainers.decide import seeds
from trainers.decide.command import _of_kept
from trainers.decide.decide import _confidence
from trainers.decide.seeds import LEAST

WORDS = ["experiment=plain", *TINY, "seeds=3"]
FIRST = {0.0: 0.2, 1.0: 2.0, 2.0: -0.5}  # the first three seeds' numbers; those of the others are near 1


def of(values):
    return Estimate({float(seed): float(value) for seed, value in enumerate(values)})


@pytest.mark.slow
@pytest.mark.parametrize("first", [3, 5])
def test_many_looks_seldom_go_wrong(first):
    """A number whose mean is its bound, so that each verdict is a wrong one. A look adds the seeds that would decide it
    as its mean and spread are, at most as many as there are. 2,000 trials: three standard errors of 5% are 1.5%."""
    rng, wrong, naive, trials = np.random.default_rng(first), 0, 0, 2000
    for values in rng.normal(size=(trials, first * 2**6)):
        seeds = [*numbers_of_seeds(values, first)]
        verdicts = [above("", of(values[:count])) for count in seeds]
        wrong += any(each.met_with(_confidence(k)) is not None for k, each in enumerate(verdicts, start=1))
        naive += any(above("", of(values[: first * 2**k])).met is not None for k in range(1, 7))
    assert wrong / trials < 0.05 + 0.015
    assert naive / trials > 0.1, "each look with 95% goes wrong more often"


def numbers_of_seeds(values, first):
    """The seeds that there are after each look, until none is asked for or all values are used."""
    count = first
    for look in range(1, 20):
        if count == len(values):
            return
        needed = seeds_needed(values[:count], _confidence(look))
        count = min(count + min(max(needed - count, LEAST), count), len(values))
        yield count
        if above("", of(values[:count])).met_with(_confidence(look)) is not None:
            return


def seeds_needed(values, confidence):
    """The seeds of this mean and spread with which Student's interval has no 0 in it."""
    mean, spread = abs(values.mean()), values.std(ddof=1)

    def decides(count):
        return scipy.stats.t.ppf((1 + confidence) / 2, count - 1) * spread / np.sqrt(count) < mean

    return bisect.bisect_left(range(10_000), True, lo=2, key=decides)


def lacking(*conditions, confidence=0.95):
    claim = Claim("It is so.", "a test", "", lambda _: [*conditions], controls=())
    return claim.seeds_lacking(Tables(), confidence)


@pytest.mark.parametrize("mean", [0.2, 0.4, -0.3])
@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_the_seeds_that_are_lacking_are_those_of_students_interval(mean, confidence):
    values = np.random.default_rng(0).normal(size=4)
    values += mean - values.mean()
    needed = seeds_needed(values, confidence)
    assert lacking(above("", of(values)), confidence=confidence) == needed - 4
    decided = above("", Estimate({float(seed): 5.0 + (-1.0) ** seed for seed in range(12)}))
    if mean > 0:
        assert lacking(decided, above("", of(values)), confidence=confidence) == needed - 4, "of 4, not of the 12 seeds"


def test_some_numbers_no_seeds_decide():
    assert lacking(above("", of([1.0, -1.0]))) is None, "the mean is the bound"
    shared = Estimate({0.0: 0.1, 1.0: 0.3}, common=0.5)
    assert lacking(within("", shared, 0.6)) is None, "no seeds help against what they share"
    assert lacking(above("", Estimate({0.0: 0.1}))) == 1, "one seed tells no spread"


def test_a_refutation_needs_the_seeds_that_holm_asks_for():
    """A number outside its bound among three that are met: two intervals of 95% do not refute, one of 98.3% does."""
    values = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    values *= np.sqrt(6) / np.std(values, ddof=1)  # a standard error of 1
    outside, met = above("", of(values - 2.9)), above("", of(values + 100))  # Student's t: 2.57 at 95%, 3.53 at 98.3%
    claim = Claim("It is positive.", "a test", "above zero", lambda _: [outside, met, met], controls=())
    assert outside.met is False
    assert claim.evaluate(RunDirectory(pathlib.Path()), {})["outcome"] == Outcome.UNDECIDED
    assert lacking(outside, met, met) == seeds_needed(values - 2.9, 1 - 0.05 / 3) - 6 > 0


def test_a_later_look_asks_for_more_than_the_run_itself():
    """Six seeds that decide at 95% and not at 97.5%: more of them are needed, where at 95% none is."""
    values = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    values *= np.sqrt(6) / np.std(values, ddof=1)  # a standard error of 1
    condition = above("", of(values + 2.9))  # Student's t: 2.57 at 95%, 3.16 at 97.5%
    assert condition.met
    assert lacking(condition) == 0 < lacking(condition, confidence=_confidence(1))


def number(directory):
    """A number of every seed in the tables, which training does not change."""
    rows = rows_where(table(directory, "seeds"), {"learner": "transformer", "evaluation": "test"})
    seeds = estimate(rows, "loss").by_seed
    return Estimate({seed: FIRST.get(seed, 1 + 0.1 * (-1) ** seed) for seed in seeds})


CLAIMS = (
    Claim("It is positive.", "a test", "above zero", lambda each: [above("it", number(each))]),
    Claim("It is alike.", "a test", "within a tenth of its mean", lambda each: [
        within("it", Estimate({seed: 1.0 - 2.0 * (seed % 2) for seed in number(each).by_seed}), 1e-3)
    ]),
    Claim("One is one.", "a test", "above zero", lambda each: [above("one", exact(1.0))]),
    Claim("It has learned.", "a test", "above zero", lambda each: [above("one", exact(1.0))], controls=[
        Control("it is positive", lambda each: [above("it", number(each))])
    ]),
    Claim("It has not.", "a test", "above zero", lambda each: [above("one", exact(1.0))], controls=[
        Control("it is above two", lambda each: [above("it", number(each), 2.0)])
    ]),
)  # fmt: skip


@pytest.fixture
def decided(monkeypatch):
    monkeypatch.setattr(figures.load("training"), "CLAIMS", CLAIMS, raising=False)
    monkeypatch.setattr(figures.load("training"), "CONTROLS", (), raising=False)


def check_believed(directory, rows):
    """The verdicts of the tables, with those of further seeds, are the ones that were printed."""
    claims = {claim["statement"]: claim for claim in figures.evaluate_claims("training", directory, {})}
    for statement, row in rows.items():
        assert claims[statement]["outcome"] == row["outcome"]
    assert claims["It is positive."]["seeds"] == rows["It is positive."]["seeds"]
    assert claims["It has not."]["outcome"] == Outcome.NOT_REACHED
    shorter = Further(directory.path, rows["It is positive."]["last_seed"] - 1)
    assert len(number(shorter).by_seed) == rows["It is positive."]["seeds"] - 1


def run_in(folder):
    (path,) = folder.glob("runs/plain/*/summary.json")
    return RunDirectory(path.parent)


@pytest.mark.slow
def test_seeds_are_added_until_it_is_decided(decided, tmp_path):
    ran(*WORDS, "figure=training", cwd=tmp_path)
    directory = run_in(tmp_path)
    word = f"decide={directory.path.relative_to(tmp_path)}"

    plan = ran(word, "minutes=0", cwd=tmp_path)
    assert "undecided: It is positive." in plan.stdout
    assert "One is one" not in plan.stdout, "it is decided already"
    assert "not reached: It has learned." in plan.stdout, "its control is undecided"
    assert "It has not" not in plan.stdout, "seeds do not help a model that has not learned"
    assert not directory.has_table("decided"), "there was no look"
    assert "would be exceeded" in plan.stdout
    assert run_in(tmp_path).path == directory.path, "nothing was run"

    done = ran(word, "minutes=2", cwd=tmp_path)
    assert "holds, with " in done.stdout
    rows = {row["claim"]: row for row in directory.read_table("decided")}
    assert rows["It is positive."]["outcome"] == "holds"
    count, looks, confidence = (float(rows["It is positive."][name]) for name in ("seeds", "looks", "confidence"))
    assert 3 < count < 30
    assert confidence == pytest.approx(1 - 0.05 / 2**looks)
    assert rows["It has learned."]["outcome"] == "holds"
    check_believed(directory, rows)
    kept = tmp_path / "kept"
    publish(directory, kept)
    check_believed(RunDirectory(kept / "training"), rows)
    others = [RunDirectory(path.parent) for path in tmp_path.glob("runs/plain/*/DONE") if path.parent != directory.path]
    further = {row["seed"] for each in others for row in each.read_table("seeds")}
    assert further == set(np.arange(3.0, max(float(row["last_seed"]) for row in rows.values()) + 1))

    when = {each.path: each.done_at for each in others}
    ran("decide=kept/training", "minutes=2", cwd=tmp_path)
    assert {each.path: each.done_at for each in others} == when, "kept tables are decided by the same further runs"
    check_believed(RunDirectory(kept / "training"), rows)

    again = ran(word, "minutes=2", cwd=tmp_path)
    assert {each.path: each.done_at for each in others} == when, "what is done is not done again"
    assert "It is positive" not in again.stdout, "its looks are kept"
    assert {row["claim"]: row for row in directory.read_table("decided")} == rows


def test_seeds_of_earlier_looks_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(seeds, "made_by", lambda commands, _: f"{commands}\nversions\n")
    directory, run = RunDirectory(tmp_path / "kept"), RunDirectory(tmp_path / "run")
    for place, first in ((directory, 0), (RunDirectory(directory.path / "further"), 3), (run, 5)):
        place.path.mkdir()
        place.write_table("seeds", [{"seed": seed, "loss": 0.5 * seed} for seed in (first, first + 1)])
    (directory.path / "further" / "made_by.txt").write_text("icl-lab experiment=x seed=3\nversions\n")
    point = SimpleNamespace(place={}, settings=run.path)
    monkeypatch.setattr(RunDirectory, "of", staticmethod(RunDirectory))
    look = SimpleNamespace(runs=[point], words=["experiment=x", "seed=5"])
    directory.write_table("decided", [{"claim": "It is positive.", "last_seed": 4}])
    for _ in range(2):  # the first one was killed before the outcomes of its look were written
        seeds.keep(directory, [cast(Point, look)], seeds.Kept.of(directory, 4))
    assert directory.has_table("decided")
    rows = Further(directory.path, np.inf).read_table("seeds")
    assert [(row["seed"], row["loss"]) for row in rows] == [(seed, 0.5 * seed) for seed in (0, 1, 3, 4, 5, 6)]
    commands = (directory.path / "further" / "made_by.txt").read_text().splitlines()
    assert commands == ["icl-lab experiment=x seed=3", "python run.py experiment=x seed=5", "versions"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["decide=runs/none/abc"], "decide=runs/none/abc: no finished run"),
        (["decide="], "decide=: allowed are decide=DIR"),
        (["decide=x", "seeds=3"], "allowed are decide=DIR, and beside it minutes=M"),
        (["decide=x", "minutes=soon"], "minutes=soon: must be a number, >= 0"),
    ],
)
def test_wrong_words_are_one_line(words, message, tmp_path):
    check_refused(lab_here(*words, cwd=tmp_path), message)


@pytest.mark.parametrize("word", ["run.dir=/elsewhere", "++run.dir=/elsewhere", "'run={dir: /elsewhere}'"])
def test_kept_tables_do_not_say_where_is_written(word, tmp_path):
    (tmp_path / "made_by.txt").write_text(f"python run.py experiment=plain {word}\n")
    assert _of_kept(RunDirectory(tmp_path), [], []).settings.run.dir == "runs"
