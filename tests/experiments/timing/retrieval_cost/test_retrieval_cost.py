"""The cost of retrieval: what is timed and in which order, and claims on tables whose verdicts are known."""

import collections
import itertools

import jax
import numpy as np
import pytest

from analysis import figures
from analysis.tables.select import NotMeasured
from experiments.timing.retrieval_cost import answers, figure
from experiments.timing.retrieval_cost import run as retrieval_cost
from experiments.timing.retrieval_cost.columns import Timed
from experiments.timing.retrieval_cost.settings import RetrievalCost
from lab.errors import ConfigError
from lab.runs.directory import RunDirectory
from tasks.settings import RagDot, RagLinear
from tests.run_files import summary_of, table
from tests.tiny_runs import tiny_run
from tests.trainers.sessions import settings_of

COUNTS = (2, 25)
PLACES = [(Timed.STEP, retriever, count) for retriever in retrieval_cost.RETRIEVERS for count in COUNTS]
WORDS = ("kind=retrieval_cost", "name=retrieval_cost")


def cost(directory, times, noise=0.01, rounds=4):
    """The table in which each of PLACES takes its time, in later rounds longer, and its answers half of it. Noise has
    opposite signs in any two that are compared, and changes them from round to round."""
    rows = [
        {
            "round": turn,
            "timed": timed,
            "retriever": retriever,
            "documents": count,
            "microseconds": share * (1 + turn) * time * (1 + noise * (-1) ** (turn + place + place // 2)),
        }
        for turn in range(rounds)
        for timed, share in zip(Timed, (1.0, 0.5, 0.5), strict=True)
        for place, ((_, retriever, count), time) in enumerate(times.items())
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
        ((200.0, 400.0, 100.0, 150.0), 0.01, [True, True, True, True]),
        ((200.0, 140.0, 100.0, 150.0), 0.01, [False, False, False, False]),
        ((200.0, 400.0, 100.0, 60.0), 0.01, [True, True, True, False]),
        ((200.0, 202.0, 199.0, 201.0), 0.2, [None, None, None, None]),
    ],
    ids=["both hold", "one count and one retriever deny them", "one retriever gets cheaper", "lost in noise"],
)
def test_verdicts(directory, times, noise, expected):
    cost(directory, dict(zip(PLACES, times, strict=True)), noise)
    assert verdicts(directory) == expected


def test_what_slows_a_whole_round_does_not_count(directory):
    cost(directory, dict(zip(PLACES, (200.0, 400.0, 100.0, 150.0), strict=True)), noise=0.0)
    *faster, more = figures.evaluate_claims("retrieval_cost", directory, {})
    assert [list(each["measured"].values()) for each in faster] == [pytest.approx([2.0, 400 / 150])] * 3
    assert list(more["measured"].values()) == pytest.approx([2.0, 1.5])
    assert max({**faster[0]["errors"], **more["errors"]}.values(), default=0.0) < 1e-12


def test_no_verdict_without_the_rows(directory):
    assert verdicts(directory) == [None, None, None, None]
    cost(directory, {(Timed.STEP, "rag_linear", 2): 1.0, (Timed.STEP, "rag_dot", 2): 1.0})
    with pytest.raises(NotMeasured, match="fewer than two"):
        figure.more_cost_more(directory)
    cost(directory, {(Timed.STEP, "rag_linear", 2): 1.0, (Timed.STEP, "rag_dot", 25): 1.0})
    with pytest.raises(NotMeasured, match="same numbers"):
        figure.dot_is_faster(Timed.ANSWERS, directory)


def test_every_second_round_is_reversed():
    ran = []
    programs = {place: (lambda place=place: ran.append(place) or 0, 1) for place in PLACES}
    rows = [row for turn in range(3) for row in retrieval_cost.rows_of(programs, turn)]
    assert ran == [*PLACES, *reversed(PLACES), *PLACES]
    assert [(row["timed"], row["retriever"], row["documents"]) for row in rows] == ran


def test_medians_are_over_the_rounds_of_a_program():
    rows = [
        {"timed": timed, "retriever": retriever, "documents": count, "microseconds": time}
        for time in (1.0, 2.0, 90.0)
        for timed, retriever, count in PLACES
    ]
    rows[-1]["microseconds"] = 1.5
    expected = dict.fromkeys((f"microseconds.step.{retriever}.{count}" for _, retriever, count in PLACES), 2.0)
    assert retrieval_cost.medians(rows) == expected | {"microseconds.step.rag_dot.25": 1.5}


def test_each_program_trains_on_its_own_task():
    settings = RetrievalCost(batch_size=100_000)
    for place in PLACES:
        training = retrieval_cost.training(settings, place)
        task = training.settings.task
        assert isinstance(task, RagLinear | RagDot)
        assert (task.name, task.num_documents) == place[1:]
        assert training.recipe.batch_size == settings.batch_size, "which no limit makes smaller"


@pytest.mark.slow
def test_a_table_has_every_combination_once_per_round(tmp_path_factory):
    place = tiny_run(tmp_path_factory, "retrieval_cost").directory
    rows = table(place, "cost")
    times = collections.Counter((row["round"], row["timed"], row["retriever"], row["documents"]) for row in rows)
    retrievers = retrieval_cost.RETRIEVERS
    assert times == collections.Counter(itertools.product("01", ("step", "answers", "retrieved"), retrievers, "12"))
    assert all(float(row["microseconds"]) > 0 for row in rows)
    summary = summary_of(place)
    assert len(summary["numbers"]) == 12
    assert summary["drawn"] == "retrieval_cost"
    assert [bool(claim["measured"]) for claim in summary["claims"]] == [True, True, True, True]


def test_answers_are_those_of_the_formulas(float64):
    """Against loops over episodes, examples and documents, with the projection W_2 W_d multiplied document by
    document."""
    task = RagLinear(input_dim=3, output_dim=2, num_documents=4, doc_dim=2, num_context=5)
    models = answers.projection(task, jax.random.key(0), batch=3)
    expected = np.zeros((3, 6, 2))
    for b, m in np.ndindex(3, 6):
        expected[b, m] = models.w_1[b] @ models.x[b, m]
        for k in range(0, 8, 2):
            expected[b, m] += models.w_z[b][:, k : k + 2] @ models.z[b, m, k : k + 2]
    np.testing.assert_allclose(models.answers(), expected, rtol=0, atol=1e-13)

    task = RagDot(input_dim=3, output_dim=2, num_documents=4, num_context=5)
    models = answers.dot_product(task, jax.random.key(1), batch=3)
    for b, m in np.ndindex(3, 6):
        covariance = sum(np.outer(d, d) for d in np.asarray(models.documents[b]))
        expected[b, m] = (models.w_1[b] + models.w_z[b] @ covariance @ models.m[b].T) @ models.x[b, m]
    np.testing.assert_allclose(models.answers(), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(models.retrieved().answers(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("timed", [Timed.ANSWERS, Timed.RETRIEVED])
def test_what_is_timed_answers_all_given_batches(timed):
    settings = RetrievalCost(batch_size=3, seconds=1e-9)
    call, batches = retrieval_cost.program_of(settings, (timed, "rag_dot", 2))
    (given,) = call()
    assert batches == given.shape[0] == answers.BATCHES
    assert given.shape[1:] == (3, 11, 1)
    first = answers.dot_product(RagDot(num_documents=2), jax.random.split(jax.random.key(settings.seed), batches)[0], 3)
    np.testing.assert_allclose(given[0], first.answers(), rtol=1e-5, atol=1e-5)  # float32, other fusions


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
