"""Labels, units and sentences of headline numbers."""

import types

import pytest

from analysis.figures.labels import Word, registered, word_of
from analysis.report import blocks, generic, page
from analysis.report.blocks import Label
from analysis.results.column import Column
from lab.config.base import Base
from lab.config.kinds import KINDS, Kind
from tests.lab.config.test_sentences import faults

LOSS = Column("losses", "loss", "error", "It is wrong.", "learner", "nats")


@pytest.fixture(autouse=True)
def mine(monkeypatch):
    results = types.SimpleNamespace(HEADLINES=(LOSS, Column("losses", "rate", "rate", "How fast.", "learner")))
    monkeypatch.setitem(KINDS, "mine", Kind("mine", Base, {"results": results}.get, parts=frozenset({"results"})))


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("loss", "error"),
        ("loss.transformer.8", "error, trained Transformer, 8"),
        ("gradient_descent.loss", "error, gradient descent"),
        ("loss.rope, damping 0.75", "error, rope, damping 0.75"),
        ("loss_excess.transformer", None),
    ],
)
def test_a_number_has_the_label_of_its_column(name, label):
    word = registered("mine", name)
    assert (word and word.label) == label


def test_what_is_not_described_is_its_name_in_words():
    assert word_of("mine", "my_number") == Word("my number")
    assert word_of("no kind", "loss.transformer") == Word("loss, trained Transformer")
    assert Word("time", unit="ms").title == "time (ms)"


def test_reports_show_sentences_under_the_pointer():
    summary = {"kind": "mine", "numbers": {"loss.best": 0.5, "loss.best.stderr": 0.1}, "settings": {"seed": "3"}}
    (table,) = generic.of_run(summary)
    assert table.rows[0][0] == Label("error, best (nats)", "It is wrong.")
    assert page.labelled(summary, ["seed", "loss.best", "else"]) == [
        Label("seed", "Seed of all random numbers of the run."),
        Label("loss.best", "It is wrong."),
        "else",
    ]
    assert page._shown(table.rows[0][0]) == '<span title="It is wrong.">error, best (nats)</span>'


def texts(row):
    return [each.text() for each in row if isinstance(each, blocks.Number)]


def test_columns_with_one_key_are_one_table():
    numbers = {"loss.transformer": 0.5, "best.loss": 0.25, "best.rate": 3.0, "steps": 7.0}
    crossed, rest = generic.of_run({"kind": "mine", "numbers": numbers})
    assert [blocks.plain(head) for head in crossed.heads] == ["learner", "error (nats)", "rate"]
    assert [texts(row) for _, *row in crossed.rows] == [["0.5", "-"], ["0.25", "3"]]
    assert [texts(row) for row in rest.rows] == [["7"]]


@pytest.mark.parametrize("kind", sorted(name for name in KINDS if name != "mine"))
def test_sentences_of_numbers(kind):
    """Each is one of a number."""
    headlines = KINDS[kind].load("results").HEADLINES
    assert not {each.name: faults(each.sentence) for each in headlines if faults(each.sentence)}
