"""`demonstrations`: from the command to the tables, the bad words and the verdicts."""

import json

import numpy as np
import pytest

from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from analysis.tables.in_memory import Tables
from experiments.demonstrations.demonstrations import results
from experiments.demonstrations.demonstrations.measure import METHODS
from tests.command_line import ran
from tests.run_files import table
from tests.tiny_runs import words_of

pytestmark = pytest.mark.slow  # whole experiments

WORDS = words_of("demonstrations")


def test_searches_and_controls_are_measured_on_the_same_users(folder):
    prompts = {"union", "zero_shot", "whole_pool", "random_2", "random_4", "singles_2", "singles_4"}
    rows = table(folder, "methods")
    assert {row["method"] for row in rows} == {*METHODS} | prompts
    assert len(rows) == 2 * 2 * len({row["method"] for row in rows})
    by_place = {(row["seed"], row["queries"], row["method"]): row for row in rows}
    evaluations = {row["method"]: int(row["evaluations"]) for row in rows}
    assert evaluations["three_path"] == evaluations["long_more"] == evaluations["one_more"] == 3 * 3 * 3
    assert evaluations["one"] == evaluations["long"] == 3 * 3
    assert float(by_place["0", "1", "long_more"]["examples"]) == 4
    # the first users and prompts that no search made do not depend on the number of validation queries
    for name in ("whole_pool", "random_2"):
        assert by_place["0", "1", name]["ndcg_10"] == by_place["0", "2", name]["ndcg_10"]
    for row in table(folder, "differences"):
        a, b = (float(by_place[row["seed"], row["queries"], row[key]]["ndcg_10"]) for key in ("method", "other"))
        assert float(row["difference"]) == pytest.approx(a - b, abs=1e-6)
    rounds = table(folder, "rounds")
    assert len(rounds) == 2 * 2 * len(METHODS) * 3
    first = {row["method"]: row["validation"] for row in rounds if (row["seed"], row["queries"], row["round"])
             == ("0", "2", "1")}  # fmt: skip
    assert (
        first["three"] == first["three_path"] == first["three_other"] == first["three_random"]
    )  # before anything has collapsed
    numbers = json.loads((folder / "summary.json").read_text())["numbers"]
    mean = np.mean([float(by_place[seed, "2", "union"]["ndcg_10"]) for seed in "01"])
    assert numbers["ndcg_10.union"] == pytest.approx(mean, rel=1e-5)


def test_another_recommender(tmp_path):
    """Decoders are below, in the test of their losses."""
    ran(*WORDS, "learner=ridge", "seeds=1", "validation=[2]", cwd=tmp_path)


ORDER = ["one", "one_more", "two_path", "whole_pool", "three", "three_random", "union", "long_more", "three_path"]


@pytest.mark.parametrize("sign", [1, -1])
def test_verdicts_follow_the_numbers(sign):
    """All that is claimed holds where methods are in this order, and nothing where it is turned round."""
    values = {name: 0.3 + sign * 0.01 * place for place, name in enumerate(ORDER)}
    values |= {"singles_16": values["three_path"] + sign * 0.02, "singles_8": 0.0, "random_8": 0.2}
    values |= {"three_other": values["three"] + sign * 0.01, "zero_shot": 0.2 - sign * 0.1}
    seeds = [(seed, 1 + 0.01 * seed) for seed in range(3)]
    names = [*values]
    differences = [
        {"seed": seed, "queries": count, "method": a, "other": b, "difference": (values[a] - values[b]) * factor,
         "difference.stderr": 1e-4}
        for seed, factor in seeds for count in (1.0, 20.0) for i, a in enumerate(names) for b in names[i + 1 :]
    ]  # fmt: skip
    similarity = {"one": 0.6 + sign * 0.1, "three": 0.7, "three_path": 0.7 - sign * 0.1}
    methods = [
        {"seed": seed, "queries": count, "method": name, "similarity_last": similarity.get(name, 0.5) * factor,
         "similarity_first": 0.6 * factor}
        for seed, factor in seeds for count in (1.0, 20.0) for name in names
    ]  # fmt: skip
    rounds = [
        {"seed": seed, "queries": count, "method": "one", "round": float(index), "ndcg_10": 0.2 + gained * factor}
        for seed, factor in seeds for count in (1.0, 20.0)
        for index, gained in enumerate((0.0, 0.04 if sign > 0 else 0.01, 0.05), start=1)
    ]  # fmt: skip
    agreement = [
        {"seed": seed, "queries": count, "correlation": sign * 0.2 * factor}
        for seed, factor in seeds for count in (1.0, 20.0)
    ]  # fmt: skip
    directory = Tables(differences=differences, methods=methods, rounds=rounds, agreement=agreement)
    verdicts = [claim.evaluate(directory, {})["holds"] for claim in results.CLAIMS]
    assert verdicts == [sign > 0] * len(verdicts)


def tables_of(gain, later):
    """Random sets of 4 are better than those of 2 by `gain`; `later` is the share of a training's gain that falls into
    its second half, None for a learner that is not trained."""
    seeds = [0.0, 1.0, 2.0]
    methods = [{"seed": seed, "queries": 1.0, "method": name} for seed in seeds for name in ("random_2", "random_4")]
    differences = [
        {"seed": seed, "queries": 1.0, "method": "random_2", "other": "random_4",
         "difference": -gain * (1 + 0.01 * seed), "difference.stderr": 1e-4}
        for seed in seeds
    ]  # fmt: skip
    curves = [
        {"seed": seed, "queries": 1.0, "step": step, "loss": loss + 0.001 * seed}
        for seed in seeds for step, loss in ((0.0, 4.0), (50.0, 3.0 + (later or 0.0)), (100.0, 3.0))
    ]  # fmt: skip
    tables = {"methods": methods, "differences": differences}
    return Tables(**tables, **({"curves": curves} if later is not None else {}))


@pytest.mark.parametrize(
    ("gain", "later", "outcome"),
    [
        (0.05, None, Outcome.HOLDS),
        (0.0, None, Outcome.NOT_REACHED),
        (0.05, 0.01, Outcome.HOLDS),
        (0.05, 0.3, Outcome.NOT_REACHED),
        (-0.01, 0.01, Outcome.NOT_REACHED),
    ],
)
def test_no_verdict_on_a_learner_that_does_not_use_demonstrations(gain, later, outcome):
    claim = Claim("It is so.", own(), "", lambda _: [above("number", exact(1.0))])
    assert claim.evaluate(tables_of(gain, later), {}, results.CONTROLS)["outcome"] == outcome


def test_losses_of_a_decoder_are_a_table(tmp_path):
    words = [*WORDS, "learner=decoder", "train.steps=4", "train.batch_size=4", "model.width=8", "model.mlp_width=8"]
    ran(*words, "seeds=2", "validation=[1,2]", cwd=tmp_path)
    (folder,) = (path.parent for path in tmp_path.rglob("DONE"))
    rows = table(folder, "curves")
    assert [(row["seed"], row["queries"], row["step"]) for row in rows] == [
        (seed, queries, str(step)) for seed in "01" for queries in "12" for step in range(5)
    ]
    assert len({row["loss"] for row in rows}) == 2 * 5, "one training serves both numbers of validation queries"
