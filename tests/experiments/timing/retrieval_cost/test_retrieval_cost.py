"""The cost of retrieval: what is timed, and that a table has all of it."""

import collections
import itertools

import jax
import numpy as np
import pytest

from experiments.timing.retrieval_cost import answers
from experiments.timing.retrieval_cost import run as retrieval_cost
from experiments.timing.retrieval_cost.results import Timed
from experiments.timing.retrieval_cost.settings import RetrievalCost
from tasks.settings import RagDot, RagLinear
from tests.run_files import summary_of, table


def test_each_program_trains_on_its_own_task():
    settings = RetrievalCost(batch_size=100_000)
    for task in (RagLinear(num_documents=2), RagDot(num_documents=25)):
        training = retrieval_cost.training(settings, task)
        assert training.settings.task == task
        assert training.recipe.batch_size == settings.batch_size, "which no limit makes smaller"


@pytest.mark.slow
def test_a_table_has_every_combination_once_per_round(folder):
    rows = table(folder, "steps")
    times = collections.Counter((row["round"], row["timed"], row["retriever"], row["documents"]) for row in rows)
    retrievers = retrieval_cost.RETRIEVERS
    assert times == collections.Counter(itertools.product("01", ("step", "answers", "retrieved"), retrievers, "12"))
    assert all(float(row["milliseconds"]) > 0 for row in rows)
    summary = summary_of(folder)
    assert len(summary["numbers"]) == 2 * 12  # with their errors
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
    program = retrieval_cost.program_of(settings, timed, "rag_dot", 2)
    given, batches = program.call(), program.steps
    assert batches == given.shape[0] == answers.BATCHES
    assert given.shape[1:] == (3, 11, 1)
    first = answers.dot_product(RagDot(num_documents=2), jax.random.split(jax.random.key(settings.seed), batches)[0], 3)
    np.testing.assert_allclose(given[0], first.answers(), rtol=1e-5, atol=1e-5)  # float32, other fusions
