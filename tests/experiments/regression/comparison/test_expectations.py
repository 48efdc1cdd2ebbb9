"""The numbers that an experiment file tells its reader to expect are those of the tables that are kept of it.

Those of plain, rag_linear and rag_dot are of figure 1, whose parts they are. Experiments of which no tables are kept
are not checked.
"""

import re
import statistics

import pytest

from analysis.metrics.theory import one_step
from analysis.tables.select import group_by, numbers, rows_where, table
from lab.config.kinds import FILES
from lab.runs.directory import RunDirectory
from tasks.catalogue import TASKS
from tests.command_line import ROOT

NUMBER = re.compile(r"\d+\.\d+")
GD, RAG = "gradient_descent", "learned_descent"


def kept(experiment, name, **where):
    return rows_where(table(RunDirectory(ROOT / "docs" / "results" / experiment), name), where)


def mean(experiment, name, column, **where):
    return statistics.fmean(numbers(kept(experiment, name, **where), column))


def at_end(experiment, column, learner, **where):
    return mean(experiment, "seeds", column, evaluation="test", learner=learner, **where)


def loss(experiment, **where):
    return at_end(experiment, "loss", "transformer", **where)


def cosine(experiment, learner=GD, **where):
    return at_end(experiment, "sensitivity_cosine", learner, **where)


def excess(part, **where):
    """In percent of gradient descent's loss."""
    return 100 * abs(loss("fig1", part=part, **where) / at_end("fig1", "loss", GD, part=part, **where) - 1)


def prediction(experiment, part, step, **where):
    return mean(experiment, "curves", f"{GD}.prediction_l2", part=part, step=step, **where)


def cosines(experiment, data):
    names = [*group_by(kept(experiment, "seeds", data=data), "normalization")]
    return {name: cosine(experiment, RAG, data=data, normalization=name) for name in names}


def one_layer(part):
    """Of seed 0, which the command runs, and the loss of all seeds."""
    return [
        cosine("fig1", part=part, seed=0),
        excess(part, seed=0),
        loss("fig1", part=part, seed=0),
        loss("fig1", part=part),
        float(one_step(TASKS[part]()).loss),
    ]


class Bound(float):
    """A number that is below another one, which is what the file says."""

    def __new__(cls, value, bound):
        assert value < bound
        return super().__new__(cls, bound)


def figure_1():
    parts = ("plain", "rag_linear", "rag_dot")
    assert min(cosine("fig1", part=part) for part in parts) > 0.9997
    for part in parts:
        assert 0.015 < prediction("fig1", part, 2000) / prediction("fig1", part, 0) < 0.025
    return [*(loss("fig1", part=part) for part in parts), Bound(max(map(excess, parts)), 0.05), 0.9997]


def figure_3():
    for part in ("layers_2", "layers_5"):
        by_count = [prediction("fig3", part, 1500, num_documents=count) for count in (2, 5, 10, 25)]
        assert max(by_count) - min(by_count) < 0.01
    return [prediction("fig3", part, step) for part in ("layers_2", "layers_5") for step in (250, 1500)]


def figure_4():
    bike, california = (cosines("fig4", data) for data in ("bike", "california"))
    minmax = [each.pop("minmax") for each in (bike, california)]
    return [*minmax, *(bound(each.values()) for each in (bike, california) for bound in (min, max))]


def figure_6():
    calories, wine = (cosines("fig6", data) for data in ("calories", "wine"))
    assert wine["zscore"] == min(wine.values())
    assert wine["rank"] == max(wine.values())
    return [bound(each.values()) for each in (calories, wine) for bound in (min, max)]


def retrieval_cost():
    bounds = []
    steps = rows_where(kept("retrieval_cost", "steps"), {"timed": "step"})
    for _, rows in sorted(group_by(steps, "retriever").items(), reverse=True):
        times = [numbers(each, "milliseconds") for each in group_by(rows, "documents").values()]
        medians = [statistics.median(each) for each in times]
        bounds += [min(medians), max(medians)]
    return bounds


EXPECTED = {
    "plain": lambda: one_layer("plain"),
    "rag_linear": lambda: one_layer("rag_linear"),
    "rag_dot": lambda: one_layer("rag_dot"),
    "depth": lambda: [
        value
        for part in ("layers_2", "layers_5")
        for value in (loss("depth", part=part), cosine("depth", "gd_plus_plus", part=part))
    ],
    "fig1": figure_1,
    "fig2": lambda: [
        *(loss("fig2", part="rag_linear", num_documents=count) for count in (2, 5, 10, 25)),
        loss("fig2", part="rag_dot"),
    ],
    "fig3": figure_3,
    "fig4": figure_4,
    "fig5": lambda: [
        prediction("fig5", part, step, num_documents=count)
        for step in (250, 1500)
        for part in ("layers_2", "layers_5")
        for count in (2, 15)
    ],
    "fig6": figure_6,
    "rag_retrieve": lambda: [
        loss("rag_retrieve", part=part, num_layers=2, num_documents=5) for part in ("each", "pooled", "none")
    ],
    "retrieval_cost": retrieval_cost,
}


@pytest.mark.parametrize("experiment", EXPECTED)
def test_what_to_expect_is_what_was_measured(experiment):
    text = FILES[experiment].read_text()
    told = NUMBER.findall(text[text.index("# Expect:") : text.index("# Group:")])
    measured = EXPECTED[experiment]()
    assert told == [f"{value:.{len(each.split('.')[1])}f}" for value, each in zip(measured, told, strict=True)]
