"""Claims on trained Transformers have no verdict where nothing was learned, or where training was under way: on the
kept tables of docs/results, with the losses of other trainings put into them, and on made-up ones."""

import pytest

from analysis import figures
from analysis.figures.claim import Outcome
from analysis.figures.estimates import Estimate
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from experiments.regression.comparison import controls
from experiments.regression.comparison.normalization import from_the_best
from lab.config.kinds import KINDS
from lab.runs.directory import RunDirectory
from tests.command_line import ROOT

RESULTS = ROOT / "docs" / "results"
KEPT = ("fig1", "fig2", "fig3", "fig4", "fig5", "fig6", "depth", "rag_retrieve")
OF_NO_TRAINING = {  # words of the claims that have no controls
    "fig1": ["can be constructed"],
    "fig4": [
        "Bike: min-max stabilises",
        "California: min-max stabilises",
        "depends less on the query",
        "compresses the majority",
    ],
    "fig6": ["compresses most samples"],
}
LEARNED, BEGUN = (1.0, 0.21, 0.2, 0.2), (1.0, 0.8, 0.65, 0.2)  # losses at three evaluations, and gradient descent's


def tables_of(figure, **changed):
    there = RunDirectory(RESULTS / figure)
    tables = {name: there.read_table(name) for name in ("points", "seeds", "curves", "inputs") if there.has_table(name)}
    return Tables(**(tables | changed))


def another_training(figure, loss):
    """The kept tables with other losses of what is trained: loss(the untrained one's, the trained one's, share of the
    steps). The rows of seeds.csv on the test episodes have the last ones."""
    rows, seeds = (tables_of(figure).read_table(name) for name in ("curves", "seeds"))
    last = max(row["step"] for row in rows)
    by_place, curves, ends = {}, [], {}
    for row in rows:
        by_place.setdefault(place_of(row), []).append(row)
    for place, each in by_place.items():
        for row in each:
            new = {
                f"loss.{name}": loss(each[0][f"loss.{name}"], each[-1][f"loss.{name}"], row["step"] / last)
                for name in TRAINED
                if f"loss.{name}" in row
            }
            curves.append(row | new | {f"train_{name}": value for name, value in new.items()})
            ends |= {(place, name.removeprefix("loss.")): value for name, value in new.items()}
    seeds = [
        row | {"loss": ends.get((place_of(row), row["learner"]), row["loss"])} if row["evaluation"] == "test" else row
        for row in seeds
    ]
    return tables_of(figure, curves=curves, seeds=seeds)


def place_of(row):
    return tuple(str(value) for name, value in row.items() if name in PLACES)


TRAINED = ("transformer", "learned_descent")
PLACES = ("part", "data", "data.normalization", "task.num_documents", "task.sigma", "model.num_layers", "seed")


def outcomes(figure, tables):
    return {claim["statement"]: claim["outcome"] for claim in figures.evaluate_claims(figure, tables, {})}


def of_trained(figure, by_statement):
    """Those that the kept tables can judge at all: tables that were added later are not among them."""
    parts, kept = OF_NO_TRAINING.get(figure, []), outcomes(figure, tables_of(figure))
    unjudged = [words for words, outcome in kept.items() if outcome == Outcome.NOT_MEASURED]
    return [
        outcome
        for words, outcome in by_statement.items()
        if words not in unjudged and not any(part in words for part in parts)
    ]


@pytest.mark.parametrize("figure", KEPT)
def test_an_untrained_model_has_no_verdict(figure):
    """Half a budget has none either: tests/experiments/test_controls.py."""
    kept = outcomes(figure, tables_of(figure))
    found = outcomes(figure, another_training(figure, lambda untrained, trained, share: untrained))
    assert {*of_trained(figure, found)} == {Outcome.NOT_REACHED}
    same = {words for words in kept if any(part in words for part in OF_NO_TRAINING.get(figure, []))}
    assert all(found[words] == kept[words] for words in same), "no training decides them"
    assert len(same) == len(OF_NO_TRAINING.get(figure, []))


def test_a_hundred_steps_of_figure_1_have_no_verdict():
    curves = [row for row in tables_of("fig1").read_table("curves") if row["step"] <= 100]
    assert len({row["step"] for row in curves}) >= 3
    assert {*of_trained("fig1", outcomes("fig1", tables_of("fig1", curves=curves)))} == {Outcome.NOT_REACHED}


@pytest.mark.parametrize("learner", TRAINED)
def test_a_table_that_teaches_nothing_has_no_verdict(learner):
    """The curves are flat, but the loss of the Transformer, or of RAG, is that of predicting the mean."""
    flat = another_training("fig4", lambda untrained, trained, share: untrained if share == 0 else trained)
    seeds = flat.read_table("seeds")
    means = {place_of(row): row["loss"] for row in seeds if row["learner"] == "mean"}
    seeds = [row | {"loss": means[place_of(row)]} if row["learner"] == learner else row for row in seeds]
    taught = of_trained("fig4", outcomes("fig4", flat))
    assert Outcome.NOT_REACHED not in taught
    found = of_trained("fig4", outcomes("fig4", Tables(**(flat.tables | {"seeds": seeds}))))
    assert {*found} == {Outcome.NOT_REACHED}


@pytest.mark.parametrize("kind", ["comparison", "more_steps"])
def test_every_claim_has_controls_or_says_that_it_needs_none(kind):
    for name in KINDS[kind].figures:
        claims, of_figure = figures.claims_of(name)
        for claim in claims:
            without = any(part in claim.statement for part in OF_NO_TRAINING.get(name, []))
            controls = of_figure if claim.controls is None else claim.controls
            assert bool(controls or claim.refutation_controls) != without


def curves(*losses, part="a"):
    *trained, descent = losses
    return [
        {"part": part, "step": 10.0 * step, "seed": float(seed), "loss.transformer": loss + 1e-4 * seed}
        | {"loss.gradient_descent": descent + 1e-4 * seed}
        for step, loss in enumerate(trained)
        for seed in range(3)
    ]


def met(control, *losses):
    return [each.met for each in control.judge(Tables(curves=[*curves(*losses), *curves(*LEARNED, part="b")]))]


@pytest.mark.parametrize(
    ("losses", "uses", "reaches", "equals", "flat"),
    [
        (LEARNED, True, True, True, True),
        ((1.0, 1.0, 1.0, 0.2), False, False, False, True),  # a plateau is flat
        ((1.0, 0.7, 0.65, 0.2), False, False, False, False),
        ((1.0, 0.51, 0.5, 0.2), True, False, False, True),
        ((1.0, 0.11, 0.1, 0.2), True, True, False, True),  # better than gradient descent
        (BEGUN, False, False, False, False),
    ],
)
def test_controls(losses, uses, reaches, equals, flat):
    each = (controls.uses_context, controls.reaches_descent, controls.is_descent, controls.flat_for_descent)
    for control, expected in zip(each, (uses, reaches, equals, flat), strict=True):
        assert met(control(), *losses) == [expected, True], "one condition per point"
        assert met(control(part="b"), *losses) == [True]


def test_the_best_step_is_chosen_on_other_seeds():
    """The first of three seeds has its highest value at another step than the two that are judged."""
    by_step = {1.0: {0: 9.0, 1: 5.0, 2: 5.0}, 2.0: {0: 0.0, 1: 7.0, 2: 8.0}, 3.0: {0: 1.0, 1: 2.0, 2: 3.0}}
    estimates = {step: Estimate(values) for step, values in by_step.items()}
    assert from_the_best(estimates, max).by_seed == {1: 2.0 - 5.0, 2: 3.0 - 5.0}
    assert from_the_best(estimates, min).by_seed == {1: 2.0 - 7.0, 2: 3.0 - 8.0}
    with pytest.raises(NotMeasured, match="fewer than three seeds"):
        from_the_best({step: Estimate({0: values[0]}) for step, values in by_step.items()}, max)
