"""Claims on how near Transformers and gradient descent are, on tables that are made up: `fig1`, `fig2`."""

import pytest

from tests.experiments.regression.comparison.made_up import NOISE, curve, judged, seeds, verdicts


def fig1(directory, excess=0.0, cosine=0.999, distance=0.01, parts=("rag_linear", "rag_dot"), constructed=1.0):
    """The numbers of these parts; those of the others are as they should be."""
    rows, curves, metrics = [], [], ("prediction_l2", "sensitivity_l2")
    for part in ("plain", "rag_linear", "rag_dot"):
        place, bad = {"part": part}, part in parts
        rows += seeds(place, "transformer", loss=1 + excess * bad)
        end_cosine = cosine if bad else 0.999
        rows += seeds(place, "gradient_descent", noise=-NOISE, loss=1.0, sensitivity_cosine=end_cosine)
        rows += seeds(place, "constructed", noise=-NOISE, loss=constructed)
        start, end = (
            {f"gradient_descent.{name}": value for name in metrics} for value in (1.0, distance if bad else 0.01)
        )
        curves += curve(place, {0: start, 5: start, 9: end})
    directory.write_table("seeds", rows)
    directory.write_table("curves", curves)


def test_fig1(directory):
    fig1(directory)
    assert verdicts("fig1", directory) == [True, True, True, True, True]
    fig1(directory, excess=0.02)
    assert verdicts("fig1", directory) == [False, True, True, True, True]
    fig1(directory, excess=-0.02, cosine=0.98, distance=0.2)
    assert verdicts("fig1", directory) == [False, False, False, True, True]
    fig1(directory, excess=0.0099)
    assert verdicts("fig1", directory) == [None, True, True, True, True]
    for one in ({"excess": 0.02}, {"cosine": 0.98}, {"distance": 0.2}):
        fig1(directory, parts=["plain"], **one)
        assert verdicts("fig1", directory) == [True, True, True, False, True]
    fig1(directory, constructed=1.0001)
    assert verdicts("fig1", directory)[-1] is False


def fig2(
    directory, linear=(1.0, 2.0, 3.0), dot=(1.0, 1.0, 1.0), wide=(1.0, 1.0, 1.0), follow=1.02, closer=1.001, off=1.0
):
    rows = []
    for part, losses, factor in (("rag_linear", linear, follow), ("rag_dot", dot, closer), ("sigma", wide, 1.0)):
        for count, loss in zip((2, 5, 10), losses, strict=True):
            place = {"part": part, "task.num_documents": count, "task.sigma": 0.3 if part == "sigma" else ""}
            for evaluation in ("test", "alpha=0.5", "alpha=2.0"):
                worse = off if (evaluation, count) == ("alpha=2.0", 5) else 1.0
                rows += seeds(place, "transformer", 0, evaluation, loss=factor * loss)
                rows += seeds(place, "gradient_descent", 0, evaluation, loss=loss)
                rows += seeds(place, "interpolated", 0, evaluation, loss=worse * loss)
    directory.write_table("seeds", rows)


def test_fig2(directory):
    fig2(directory)
    assert verdicts("fig2", directory) == [True] * 4 + [False, True], "closer by .019, so not as close"
    fig2(directory, closer=1.015)
    assert verdicts("fig2", directory) == [True] * 6, "closer by .005"
    fig2(directory, linear=(1.0, 3.0, 2.0), follow=1.1)
    assert verdicts("fig2", directory) == [False, False, True, True, False, False]
    fig2(directory, dot=(1.0, 1.0, 1.2), wide=(1.0, 1.0, 1.4), closer=0.96, off=1.1)
    assert verdicts("fig2", directory) == [True, True, False, False, False, False]
    worst = judged("fig2", directory)[-1]["measured"]
    name = "loss / gradient descent's - 1, rag linear, interpolated, alpha=2.0, num documents 5"
    assert worst[name] == pytest.approx(0.1)
