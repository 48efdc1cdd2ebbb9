"""Claims on tables whose verdicts are known."""

import pytest

from analysis import figures
from lab.runs.directory import RunDirectory


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path)


def verdicts(figure, directory, failed=None):
    return [claim["holds"] for claim in figures.evaluate_claims(figure, directory, failed or {})]


def fig1(directory, loss=1.0, cosine=0.999, distance=0.01):
    metrics = {f"gradient_descent.{name}": distance for name in ("prediction_l2", "sensitivity_l2")}
    point = {"part": "plain", "loss.transformer": loss, "loss.gradient_descent": 1.0}
    directory.write_table("points", [point | {"gradient_descent.sensitivity_cosine": cosine} | metrics])
    start = {name: 1.0 for name in metrics}
    directory.write_table("curves", [{"part": "plain", "step": 0} | start, {"part": "plain", "step": 9} | metrics])


def test_fig1(directory):
    fig1(directory)
    assert verdicts("fig1", directory) == [True, True, True]
    fig1(directory, loss=1.02)
    assert verdicts("fig1", directory) == [False, True, True]
    fig1(directory, cosine=0.98, distance=0.2)
    assert verdicts("fig1", directory) == [True, False, False]


def fig2(directory, linear=(1.0, 2.0, 3.0), dot=(1.0, 1.0, 1.0), follow=1.0, off=1.0):
    points, shift = [], []
    for part, losses in (("rag_linear", linear), ("rag_dot", dot)):
        for count, loss in zip((2, 5, 10), losses, strict=True):
            place = {"part": part, "task.num_documents": count}
            points.append(place | {"loss.transformer": follow * loss, "loss.gradient_descent": loss})
            for alpha in (0.5, 2.0):
                for learner in ("transformer", "interpolated", "gradient_descent"):
                    factor = off if learner == "interpolated" and alpha == 2 and count == 5 else 1.0
                    row = {"shift": "alpha", "value": alpha, "learner": learner, "mean": alpha * loss * factor}
                    shift.append(place | row)
    directory.write_table("points", points)
    directory.write_table("shift", shift)


def test_fig2(directory):
    fig2(directory)
    assert verdicts("fig2", directory) == [True] * 5
    fig2(directory, linear=(1.0, 3.0, 2.0), follow=1.1)
    assert verdicts("fig2", directory) == [False, False, True, True, True]
    fig2(directory, dot=(1.0, 1.0, 1.2), off=1.1)
    assert verdicts("fig2", directory) == [True, True, False, True, False]
    (worst,) = [claim["measured"] for claim in figures.evaluate_claims("fig2", directory, {})[4:]]
    assert worst["rag_linear, alpha 2, interpolated"] == pytest.approx(0.1)
    assert worst["rag_linear, alpha 2, transformer"] == 0


def by_documents(directory, ends, error=0.001):
    """ends: {(part, count): prediction difference at the last step}."""
    rows, points = [], []
    for (part, count), end in ends.items():
        place = {"part": part, "task.num_documents": count}
        for step, value in ((0, 1.0), (10, end)):
            metrics = {f"gradient_descent.{name}": value for name in ("prediction_l2", "sensitivity_l2")}
            rows.append(place | {"step": step, "seed": 0} | metrics)
        points.append(place | {"gradient_descent.prediction_l2": end, "gradient_descent.prediction_l2.stderr": error})
    directory.write_table("curves", rows)
    directory.write_table("points", points)


def test_fig3(directory):
    ends = {("layers_2", 2): 0.1, ("layers_2", 25): 0.3, ("layers_5", 2): 0.1, ("layers_5", 25): 0.2}
    by_documents(directory, ends)
    assert verdicts("fig3", directory) == [True, True, True]
    by_documents(directory, ends | {("layers_2", 25): 0.05, ("layers_5", 2): 1.5})
    assert verdicts("fig3", directory) == [False, False, False]
    by_documents(directory, ends, error=0.08)  # 0.2 +- 0.11
    assert verdicts("fig3", directory) == [True, False, False]


def test_fig5(directory):
    ends = {("layers_2", 2): 0.1, ("layers_2", 5): 0.3, ("layers_5", 2): 0.1, ("layers_5", 5): 0.05}
    by_documents(directory, ends)
    assert verdicts("fig5", directory) == [True, False]
    by_documents(directory, ends, error=0.08)
    assert verdicts("fig5", directory) == [False, False]


def test_what_the_tables_do_not_have_is_not_measured(directory):
    by_documents(directory, {("layers_2", 2): 0.1, ("layers_2", 25): 0.3})
    assert verdicts("fig3", directory) == [True, True, None]


def by_normalization(directory, cosines, differences=(1.0, 9.0, 1.0, 1.0), loss_difference=0.01):
    """{data set: cosines with zscore, minmax, rank, tanh}."""
    rows = []
    for data, of in cosines.items():
        for how, cosine, difference in zip(("zscore", "minmax", "rank", "tanh"), of, differences, strict=True):
            metrics = {"sensitivity_cosine": cosine, "sensitivity_l2": difference, "loss_difference": loss_difference}
            place = {"data": data, "data.normalization": how, "loss.mean": 0.5}
            rows.append(place | {f"learned_descent.{name}": value for name, value in metrics.items()})
    directory.write_table("points", rows)


def test_fig4(directory):
    unstable = (0.9, 0.5, 0.9, 0.9)
    by_normalization(directory, {"bike": (0.9, 0.995, 0.9, 0.9), "california": unstable})
    assert verdicts("fig4", directory) == [True, True]
    by_normalization(directory, {"bike": (0.998, 0.995, 0.9, 0.9), "california": (0.4, 0.5, 0.9, 0.9)})
    assert verdicts("fig4", directory) == [False, False]
    by_normalization(directory, {"bike": (0.9, 0.98, 0.9, 0.9), "california": unstable}, (10.0, 9.0, 1.0, 1.0))
    assert verdicts("fig4", directory) == [False, False]
    by_normalization(directory, {"bike": (0.9, 0.995, 0.9, 0.9)})
    assert verdicts("fig4", directory) == [True, None], "a data set whose files are not there"
    rows = directory.read_table("points")
    directory.write_table("points", rows[:2])
    assert verdicts("fig4", directory) == [None, None], "two normalisations of four"


def test_fig6(directory):
    same = (0.96, 0.97, 0.98, 0.99)
    by_normalization(directory, {"calories": same, "wine": (0.9, 0.5, 0.9, 0.9)})
    assert verdicts("fig6", directory) == [True, True]
    by_normalization(directory, {"calories": (0.9, 0.97, 0.98, 0.99), "wine": same})
    assert verdicts("fig6", directory) == [False, False]
    by_normalization(directory, {"calories": same, "wine": same}, loss_difference=-0.06)
    assert verdicts("fig6", directory) == [False, False]


def rag_retrieve(directory, none=2.0, pooled=1.5, each=0.5, step=1.0):
    rows = []
    for part, loss in (("none", none), ("pooled", pooled), ("each", each)):
        for layers in (1, 2):
            place = {"part": part, "model.num_layers": layers, "task.num_documents": 5}
            rows.append(place | {"loss.transformer": loss, "loss.retrieved_descent": step})
    directory.write_table("points", rows)


def test_rag_retrieve(directory):
    rag_retrieve(directory)
    assert verdicts("rag_retrieve", directory) == [True, True, True]
    rag_retrieve(directory, none=0.4, each=1.1, pooled=0.7)
    assert verdicts("rag_retrieve", directory) == [False, False, True]
    rag_retrieve(directory, pooled=1.0)
    assert verdicts("rag_retrieve", directory) == [True, True, False]


def test_nobody_claimed_anything_about_a_sweep(directory):
    assert figures.evaluate_claims("sweep", directory, {}) == []


def test_what_failed_takes_the_verdict_from_the_claims_that_need_it(directory):
    failed = {"data=california, normalization=rank": "no file", "data=california, normalization=tanh": "no file"}
    by_normalization(directory, {"bike": (0.9, 0.995, 0.9, 0.9)})
    bike, california = figures.evaluate_claims("fig4", directory, failed)
    assert (bike["holds"], bike["why"]) == (True, "")
    assert (california["holds"], california["measured"], california["why"]) == (None, {}, "no file")
    assert [claim["why"] for claim in figures.unmeasured_claims("fig4", "no file")] == ["no file", "no file"]


def test_a_point_that_failed_has_no_numbers_and_gives_no_verdict(directory):
    fig1(directory, loss=float("nan"))
    assert verdicts("fig1", directory, {"plain": "diverged"}) == [None, None, None]
    same_loss, same_direction, _ = figures.evaluate_claims("fig1", directory, {"plain": "diverged"})
    assert same_loss["why"] == "diverged"
    assert same_direction["why"] == "diverged", "it is said of each task, and one is missing"


def test_counts_that_a_claim_names_or_compares_must_be_there(directory):
    by_documents(directory, {(part, count): 0.01 * count for part in ("layers_2", "layers_5") for count in (5, 10)})
    assert verdicts("fig3", directory) == [True, None, None], "2 against 25 documents"
    by_documents(directory, {("layers_2", 5): 0.1, ("layers_5", 5): 0.1})
    assert verdicts("fig5", directory) == [None, None], "one count grows with nothing"
    fig2(directory)
    rows = [row for row in directory.read_table("points") if row["task.num_documents"] == 5]
    directory.write_table("points", rows)
    assert verdicts("fig2", directory)[:3] == [None, None, None]


def speed(directory, seconds):
    """{context: seconds per episode} beside a centre of which the other settings are changed."""
    centre = {"layers": 1.0, "batch": 64.0, "context": 10.0, "width": 11.0, "population": 1.0}
    points = [
        centre,
        centre | {"layers": 2.0},
        centre | {"population": 8.0},
        centre | {"layers": 2.0, "context": 500.0},
    ]
    points += [centre | {"context": length, "batch": 6400 / length} for length in seconds]
    rates = [1.0] * 4 + [1 / value for value in seconds.values()]
    rows = [
        {"point": str(i), "state": "done"} | point | {"episodes_per_second": rate}
        for i, (point, rate) in enumerate(zip(points, rates, strict=True))
    ]
    directory.write_table("points", rows)


def test_speed(directory):
    """The slope of long contexts alone, at the centre of the other settings."""
    speed(directory, {100.0: 1.0, 1000.0: 10.0, 10000.0: 100.0})
    (claim,) = figures.evaluate_claims("speed", directory, {})
    assert claim["holds"] is True
    assert claim["measured"]["slope"] == pytest.approx(1.0)
    speed(directory, {100.0: 1.0, 1000.0: 100.0, 50.0: 1e9})
    (claim,) = figures.evaluate_claims("speed", directory, {})
    assert claim["holds"] is False
    assert claim["measured"]["slope"] == pytest.approx(2.0)
    speed(directory, {100.0: 1.0})
    assert verdicts("speed", directory) == [None]
