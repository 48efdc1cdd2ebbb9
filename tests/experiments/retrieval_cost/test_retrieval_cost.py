"""The cost of retrieval: what is timed and in which order, and claims on tables whose verdicts are known."""

import collections

import pytest

from analysis import figures
from analysis.tables.select import NotMeasured
from experiments.retrieval_cost import figure
from experiments.retrieval_cost import run as retrieval_cost
from experiments.retrieval_cost.settings import RetrievalCost
from lab.errors import ConfigError
from lab.runs.directory import RunDirectory
from tests.run_files import summary_of, table
from tests.tiny_runs import tiny_run
from tests.trainers.sessions import settings_of

COUNTS = (2, 25)
PLACES = [(retriever, count) for retriever in retrieval_cost.RETRIEVERS for count in COUNTS]
WORDS = ("kind=retrieval_cost", "name=retrieval_cost")


def cost(directory, times, noise=0.01, rounds=4):
    """The table in which each of PLACES takes its time, in later rounds longer. Noise has opposite signs in any two
    that are compared, and changes them from round to round."""
    rows = [
        {
            "round": turn,
            "retriever": retriever,
            "documents": count,
            "microseconds_per_step": (1 + turn) * time * (1 + noise * (-1) ** (turn + place + place // 2)),
        }
        for turn in range(rounds)
        for place, ((retriever, count), time) in enumerate(times.items())
    ]
    directory.write_table("cost", rows)


def verdicts(directory):
    return [claim["holds"] for claim in figures.evaluate_claims("retrieval_cost", directory, {})]


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path)


@pytest.mark.parametrize(
    ("times", "noise", "expected"),
    [
        ((200.0, 400.0, 100.0, 150.0), 0.01, [True, True]),
        ((200.0, 140.0, 100.0, 150.0), 0.01, [False, False]),
        ((200.0, 400.0, 100.0, 60.0), 0.01, [True, False]),
        ((200.0, 202.0, 199.0, 201.0), 0.2, [None, None]),
    ],
    ids=["both hold", "one count and one retriever deny them", "one retriever gets cheaper", "lost in noise"],
)
def test_verdicts(directory, times, noise, expected):
    cost(directory, dict(zip(PLACES, times, strict=True)), noise)
    assert verdicts(directory) == expected


def test_what_slows_a_whole_round_does_not_count(directory):
    cost(directory, dict(zip(PLACES, (200.0, 400.0, 100.0, 150.0), strict=True)), noise=0.0)
    faster, more = figures.evaluate_claims("retrieval_cost", directory, {})
    assert list(faster["measured"].values()) == pytest.approx([2.0, 400 / 150])
    assert list(more["measured"].values()) == pytest.approx([2.0, 1.5])
    assert max({**faster["errors"], **more["errors"]}.values(), default=0.0) < 1e-12


def test_no_verdict_without_the_rows(directory):
    assert verdicts(directory) == [None, None]
    cost(directory, {("rag_linear", 2): 1.0, ("rag_dot", 2): 1.0})
    with pytest.raises(NotMeasured, match="fewer than two"):
        figure.more_cost_more(directory)
    cost(directory, {("rag_linear", 2): 1.0, ("rag_dot", 25): 1.0})
    with pytest.raises(NotMeasured, match="same numbers"):
        figure.dot_is_faster(directory)


def test_every_second_round_is_reversed():
    ran = []
    programs = {place: (lambda place=place: ran.append(place) or 0, 1) for place in PLACES}
    rows = [row for turn in range(3) for row in retrieval_cost.rows_of(programs, turn)]
    assert ran == [*PLACES, *reversed(PLACES), *PLACES]
    assert [(row["retriever"], row["documents"]) for row in rows] == ran


def test_medians_are_over_the_rounds_of_a_program():
    rows = [
        {"retriever": retriever, "documents": count, "microseconds_per_step": time}
        for time in (1.0, 2.0, 90.0)
        for retriever, count in PLACES
    ]
    rows[-1]["microseconds_per_step"] = 1.5
    expected = dict.fromkeys((f"microseconds_per_step.{retriever}.{count}" for retriever, count in PLACES), 2.0)
    assert retrieval_cost.medians(rows) == expected | {"microseconds_per_step.rag_dot.25": 1.5}


def test_each_program_trains_on_its_own_task():
    settings = RetrievalCost(batch_size=100_000)
    for place in PLACES:
        training = retrieval_cost.training(settings, place)
        assert (training.settings.task.name, training.task.num_documents) == place
        assert training.recipe.batch_size == settings.batch_size, "which no limit makes smaller"


def test_a_table_has_every_combination_once_per_round(tmp_path_factory):
    place = tiny_run(tmp_path_factory, "retrieval_cost").directory
    rows = table(place, "cost")
    times = collections.Counter((row["round"], row["retriever"], row["documents"]) for row in rows)
    combinations = {(turn, name, count) for turn in "01" for name in ("rag_linear", "rag_dot") for count in "12"}
    assert times == collections.Counter(combinations)
    assert all(float(row["microseconds_per_step"]) > 0 for row in rows)
    summary = summary_of(place)
    assert len(summary["numbers"]) == 4
    assert summary["drawn"] == "retrieval_cost"
    assert [bool(claim["measured"]) for claim in summary["claims"]] == [True, True]


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("documents=[]", "documents=[]: at least one"),
        ("documents=[2,2]", "documents=[2,2]: each once"),
        ("documents=[0,2]", "documents=[0, 2]: must be >= 1"),
        ("batch_size=0", "batch_size=0: must be >= 1"),
        ("rounds=0", "rounds=0: must be >= 1"),
        ("seconds=0", "seconds=0.0: must be > 0"),
        ("hosts.auto=true", "hosts: "),
    ],
)
def test_bad_settings_are_one_line(word, key):
    with pytest.raises(ConfigError) as error:
        settings_of(*WORDS, word)
    assert key in str(error.value)
    assert "\n" not in str(error.value)
