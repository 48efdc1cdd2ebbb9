"""Labels, units and sentences of headline numbers."""

import types

import pytest

from analysis.figures.labels import PLACE, Word, registered, word_of
from analysis.report import generic, page
from analysis.report.blocks import Label, Table
from analysis.results.column import Column
from lab.config.base import Base
from lab.config.kinds import KINDS, Kind
from tests.lab.config.test_sentences import faults

WORDS = types.SimpleNamespace(
    NUMBERS={
        "loss.best": Word("the best", "The best loss."),
        "loss.{learner}": Word("loss, {learner}", "The loss of {learner}.", "nats"),
        "{when}.{place}.{value}": Word("{when} {place} {value}", "At {when}."),
    },
    NAMES={"end": "the end"},
)


@pytest.fixture
def mine(monkeypatch):
    monkeypatch.setitem(KINDS, "mine", Kind("mine", Base, {"words": WORDS}.__getitem__, parts=frozenset({"words"})))


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("loss.best", Word("the best", "The best loss.")),
        ("loss.transformer", Word("loss, trained Transformer", "The loss of trained Transformer.", "nats")),
        ("loss.my_own", Word("loss, my own", "The loss of my own.", "nats")),
        ("end.rope.eta=0.1", Word("the end rope eta=0.1", "At the end.")),
        ("end.rope", None),
        ("steps", None),
    ],
)
def test_a_name_is_matched_by_the_first_pattern(name, expected):
    assert registered("mine", name) == expected


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
def test_a_number_has_the_label_of_its_column(monkeypatch, name, label):
    results = types.SimpleNamespace(HEADLINES=(Column("losses", "loss", "error", "It is wrong.", "learner"),))
    monkeypatch.setitem(KINDS, "mine", Kind("mine", Base, {"results": results}.get, parts=frozenset({"results"})))
    word = registered("mine", name)
    assert (word and word.label) == label


@pytest.mark.usefixtures("mine")
def test_what_is_not_described_is_its_name_in_words():
    assert word_of("mine", "my_number") == Word("my number")
    assert word_of("no kind", "loss.transformer") == Word("loss, trained Transformer")
    assert Word("time", unit="ms").title == "time (ms)"


@pytest.mark.usefixtures("mine")
def test_reports_show_sentences_under_the_pointer():
    summary = {"kind": "mine", "numbers": {"loss.best": 0.5, "loss.best.stderr": 0.1}, "settings": {"seed": "3"}}
    (table,) = generic.of_run(summary)
    assert isinstance(table, Table)
    assert table.rows[0][0] == Label("the best", "The best loss.")
    assert page.labelled(summary, ["seed", "loss.best", "else"]) == [
        Label("seed", "Seed of all random numbers of the run."),
        Label("loss.best", "The best loss."),
        "else",
    ]
    assert page._shown(table.rows[0][0]) == '<span title="The best loss.">the best</span>'


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_sentences_of_numbers(kind):
    """Each is one of a number; what stands for a part is named in its pattern."""
    if "results" in KINDS[kind].parts:
        headlines = KINDS[kind].load("results").HEADLINES
        assert not {each.name: faults(each.sentence) for each in headlines if faults(each.sentence)}
        return
    words = KINDS[kind].load("words")
    assert words.NUMBERS
    for pattern, word in words.NUMBERS.items():
        places = dict.fromkeys(PLACE.findall(pattern), "gradient descent")
        assert not faults(word.sentence.format(**places)), pattern
        assert word.label.format(**places), pattern
