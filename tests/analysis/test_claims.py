"""Claims on tables whose verdicts are known, by their criteria alone: their controls are in
tests/experiments/comparison/test_controls.py."""

import dataclasses
import itertools
import typing

import pytest

from analysis import figures
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate, exact
from analysis.figures.evidence import above
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory

SEEDS = {0: -1.0, 1: 0.0, 2: 1.0}  # and how each deviates from the mean
NOISE = 1e-4


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path)


def judged(figure, directory):
    return [dataclasses.replace(claim, controls=()).evaluate(directory, {}) for claim in figures.load(figure).CLAIMS]


def verdicts(figure, directory):
    return [claim["holds"] for claim in judged(figure, directory)]


def seeds(place, learner, noise=NOISE, evaluation="test", **numbers):
    """Rows of seeds.csv: these numbers, less or more by so much, one row per seed."""
    return [
        place
        | {"seed": seed, "evaluation": evaluation, "learner": learner}
        | {name: value + noise * deviation for name, value in numbers.items()}
        for seed, deviation in SEEDS.items()
    ]


def curve(place, by_step, noise=NOISE):
    """Rows of curves.csv of {step: its numbers}."""
    return [
        place | {"step": step, "seed": seed} | {name: value + noise * deviation for name, value in numbers.items()}
        for step, numbers in by_step.items()
        for seed, deviation in SEEDS.items()
    ]


def test_the_verdict_and_what_would_turn_it(directory):
    def verdict(*numbers):
        judge = lambda directory: [above(f"number {i}", number, 1.0) for i, number in enumerate(numbers)]  # noqa: E731
        return Claim("It is so.", "nobody", "above 1", judge).evaluate(directory, {})

    clear, unclear = Estimate({0: 3.0, 1: 3.1, 2: 2.9}), Estimate({0: 0.5, 1: 1.9, 2: 1.0})
    holds = verdict(exact(5.0), clear)
    assert holds["holds"] is True
    assert holds["otherwise"] == "would not hold if number 0 were 1 or less; it is 5"
    assert holds["errors"] == {"number 1": pytest.approx(0.057735)}
    fails = verdict(clear, exact(0.25), exact(0.5), unclear)
    assert fails["holds"] is False, "one that is clearly not met decides"
    assert fails["otherwise"] == "would hold if number 1 were above 1; it is 0.25, and 1 more like it"
    undecided = verdict(clear, unclear)
    assert undecided["holds"] is None
    assert undecided["why"].startswith("number 1 is 1.133 ± 0.41, the bound is above 1")
    assert verdict(Estimate({0: 3.0}))["why"] == "one seed, no verdict"
    assert verdict(Estimate({0: 3.0}))["measured"] == {"number 0": 3.0}


def test_why_there_is_no_verdict(directory):
    def lacks(directory):
        raise NotMeasured("the lab has no such thing")

    claim = Claim("It is so.", "nobody", "above 1", lacks, points="data=wine")
    assert claim.evaluate(directory, {})["why"] == "the lab has no such thing"
    assert claim.evaluate(directory, {"data=wine, x": "no file"})["why"] == "no file"
    assert claim.evaluate(directory, {"data=bike, x": "no file"})["why"] == "the lab has no such thing"


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
    assert verdicts("fig2", directory) == [True] * 5 + [False] + [True] * 3, "closer by .019, so not as close"
    fig2(directory, closer=1.015)
    assert verdicts("fig2", directory) == [True] * 9, "closer by .005"
    fig2(directory, linear=(1.0, 3.0, 2.0), follow=1.1)
    assert verdicts("fig2", directory) == [False, False, True, True, True, False, True, False, False]
    fig2(directory, dot=(1.0, 1.0, 1.2), wide=(1.0, 1.0, 1.4), closer=0.96, off=1.1)
    assert verdicts("fig2", directory) == [True, True, False, False, False, False, True, True, False]
    worst = judged("fig2", directory)[-1]["measured"]
    assert worst["rag_linear, alpha=2.0, interpolated, 5 documents"] == pytest.approx(0.1)


def by_documents(directory, ends, noise=NOISE, loss_differences=None, reference="gradient_descent"):
    """ends: {(part, count): prediction difference at the last step}."""
    rows = []
    for (part, count), end in ends.items():
        place = {"part": part, "task.num_documents": count}
        loss_difference = (loss_differences or {}).get((part, count), 0.0)

        def numbers(prediction, loss_difference=loss_difference):
            metrics = {"prediction_l2": prediction, "loss_difference": loss_difference}
            return {f"{reference}.{name}": value for name, value in metrics.items()} | {"loss.gradient_descent": 1.0}

        rows += curve(place, {0: numbers(1.0), 5: numbers(end), 10: numbers(end)}, noise)
        noise = -noise
    directory.write_table("curves", rows)


ENDS = {("layers_2", 2): 0.1, ("layers_2", 25): 0.13, ("layers_5", 2): 0.1, ("layers_5", 25): 0.12}


def at_end(directory, excess=0.0, corrected=0.99, plain=0.95):
    rows = []
    for part, count in ENDS:
        place = {"part": part, "task.num_documents": count}
        off = (part, count) == ("layers_5", 25)  # in one place of four
        rows += seeds(place, "transformer", noise=NOISE, loss=1 + excess * off)
        rows += seeds(place, "gradient_descent", noise=-NOISE, loss=1.0, sensitivity_cosine=plain if off else 0.9)
        rows += seeds(place, "gd_plus_plus", loss=1.0, sensitivity_cosine=corrected)
    directory.write_table("seeds", rows)


def test_fig3(directory):
    at_end(directory)
    by_documents(directory, ENDS)
    assert verdicts("fig3", directory) == [True] * 6
    by_documents(directory, ENDS, loss_differences={("layers_5", 25): 0.2})
    assert verdicts("fig3", directory) == [False, True, True, True, True, True]
    by_documents(directory, ENDS | {("layers_2", 25): 0.3})
    assert verdicts("fig3", directory) == [True, False, True, True, True, True]
    by_documents(directory, ENDS | {("layers_2", 25): 0.05})
    assert verdicts("fig3", directory) == [True, True, False, False, True, True]
    by_documents(directory, ENDS, noise=0.02)
    assert verdicts("fig3", directory)[2] is None, "0.03 ± 0.02"
    at_end(directory, plain=0.995)
    assert verdicts("fig3", directory)[4:] == [False, True]
    for excess in (-0.3, 0.06):
        at_end(directory, excess)
        assert verdicts("fig3", directory)[4:] == [True, False], "as far is neither less nor more"


def test_fig5(directory):
    ends = {("layers_2", 2): 0.1, ("layers_2", 5): 0.3, ("layers_5", 2): 0.1, ("layers_5", 5): 0.05}
    by_documents(directory, ends)
    assert verdicts("fig5", directory) == [True, False]
    by_documents(directory, ends, noise=0.1)
    assert verdicts("fig5", directory) == [None, None]


@pytest.mark.parametrize(
    ("counts", "holds"),
    [
        ({2: 0.1, 5: 0.2, 15: 0.3}, [True, True]),
        ({2: 0.1, 5: 0.4, 15: 0.3}, [True, False]),  # larger with 15 than with 2, but not with every further count
        ({2: 0.3, 5: 0.2, 15: 0.1}, [False, False]),
        ({2: 0.1, 5: 0.2}, [None, True]),
    ],
)
def test_rag_nonlinear(counts, holds, directory):
    """At 5 layers, of the distance from descent on learned features."""
    ends = {("layers_5", count): end for count, end in counts.items()}
    by_documents(directory, ends, reference="learned_descent")
    assert verdicts("rag_nonlinear", directory) == [None, None, *holds]
    by_documents(directory, ends)
    assert verdicts("rag_nonlinear", directory) == [None] * 4, "the distance from descent on the inputs is another"


def test_what_the_tables_do_not_have_is_not_measured(directory):
    by_documents(directory, {key: end for key, end in ENDS.items() if key[0] == "layers_2"})
    claims = judged("fig3", directory)
    assert [claim["holds"] for claim in claims] == [None, None, True, None, None, None]
    assert claims[3]["why"] == "there is no row with part=layers_5"


NORMALIZATIONS = ("zscore", "minmax", "rank", "tanh")
NUMBERS = {
    "sensitivity_cosine": (0.9, 0.995, 0.9, 0.9),
    "sensitivity_l2": (1.0, 0.5, 1.0, 1.0),
    "sensitivity_cosine_z": (0.9, 0.995, 0.9, 0.9),
    "sensitivity_l2_z": (1.0, 0.5, 1.0, 1.0),
    "loss_difference": (0.02, 0.01, 0.02, 0.02),
    "prediction_l2": (0.2, 0.1, 0.2, 0.2),
}


def by_normalization(
    directory, data, curve_of_minmax=((0.9, 1.0), (0.95, 0.5), (0.95, 0.5)), inputs=(("pH", 0.1, 0.9, 0.2),), **changes
):
    """Each of NUMBERS by normalisation; (cosine, model difference) at three steps of min-max's training; the quartiles
    and the skewness of columns under min-max."""
    rows, curves, columns = [], [], []
    for i, name in enumerate(NORMALIZATIONS):
        place = {"data": data, "data.normalization": name}
        numbers: dict[str, typing.Any] = {metric: values[i] for metric, values in (NUMBERS | changes).items()}
        rows += seeds(place, "learned_descent", **numbers) + seeds(place, "mean", loss=0.5)
        shape = curve_of_minmax if name == "minmax" else ((0.9, 1.0),) * 3
        steps = {}
        for step, (cosine, difference) in enumerate(shape, start=1):
            swing = numbers.get("swing", 0.0) * (-1) ** step
            metrics = {"sensitivity_cosine": cosine, "sensitivity_l2": difference, "prediction_l2": 0.2 + swing}
            steps[step] = {f"learned_descent.{metric}": value for metric, value in metrics.items()}
        curves += curve(place, steps)
        columns += [
            place
            | {"column": column, "lower_quartile": low, "median": (low + high) / 2, "upper_quartile": high}
            | {"skewness": skewness}
            for column, low, high, skewness in inputs
        ]
    for name, table in (("seeds", rows), ("curves", curves), ("inputs", columns)):
        directory.write_table(name, table)


def test_fig4_bike(directory):
    by_normalization(directory, "bike")
    assert verdicts("fig4", directory) == [True, True, True] + [None] * 10
    by_normalization(directory, "bike", loss_difference=(0.02, -0.1, 0.2, 0.2))
    assert verdicts("fig4", directory)[:3] == [False, False, False], "the loss is far from RAG's"
    by_normalization(directory, "bike", loss_difference=(0.2, 0.03, 0.02, 0.2))
    assert verdicts("fig4", directory)[:3] == [True, True, False], "rank's loss is nearer"
    by_normalization(directory, "bike", sensitivity_cosine=(0.9, 0.98, 0.99, 0.9), prediction_l2=(0.1, 0.2, 0.2, 0.2))
    assert verdicts("fig4", directory)[:3] == [True, False, False]


CALIFORNIA = [("MedInc", 0.1, 0.25, 1.6), ("Population", 0.0, 0.05, 5.0), ("AveRooms", 0.0, 0.01, 20.0)]


@pytest.mark.parametrize(
    ("more", "holds"),
    [
        ([], True),
        ([("Latitude", 0.1, 0.9, 0.5)], True),  # it is not skewed
        ([("AveOccup", 0.0, 0.3, 90.0)], False),
        ([("MedInc", 0.1, 0.4, 0.9)], False),  # the source names it
    ],
)
def test_the_majority_of_skewed_columns_is_compressed(more, holds, directory):
    by_normalization(directory, "california", inputs=[*CALIFORNIA, *more])
    assert verdicts("fig4", directory)[10] is holds


def test_fig4_california(directory):
    unstable = {"sensitivity_cosine": (0.9, 0.5, 0.9, 0.9), "sensitivity_l2": (1.0, 9.0, 1.0, 1.0)}
    falls = ((0.9, 1.0), (0.95, 0.5), (0.5, 9.0))
    far = (0.2, 0.3, 0.2, 0.2)
    by_normalization(directory, "california", falls, CALIFORNIA, prediction_l2=far, **unstable)
    assert verdicts("fig4", directory) == [None] * 6 + [True] * 5 + [None] * 2
    by_normalization(directory, "california")
    assert verdicts("fig4", directory)[7:10] == [False, True, False]
    z = {"sensitivity_cosine_z": (0.9, 0.5, 0.9, 0.9), "sensitivity_l2_z": (1.0, 9.0, 1.0, 1.0)}
    by_normalization(directory, "california", falls, **z)
    assert verdicts("fig4", directory)[6:9] == [True, False, False]


@pytest.mark.parametrize(
    ("bike", "california", "holds"),
    [
        ((0.9, 0.8), (0.9, 0.8), [True, True, True]),
        ((0.8, 0.9), (0.9, 0.8), [False, False, True]),
        ((0.805, 0.8), (0.9, 0.8), [None, None, True]),  # a standard error of .014
        (None, (0.9, 0.8), [None, None, None]),
    ],
)
def test_fig4_retrieval(bike, california, holds, directory):
    """Shares that are kept with min-max and with z-score, which are the same with either corpus."""
    directory.write_table(
        "retrieval",
        [
            {"data": data, "data.normalization": how, "corpus": corpus}
            | {"kept": share, "kept.stderr": 0.01, "most_frequent": 0.2 if how == "minmax" else 0.1}
            for data, shares in (("bike", bike), ("california", california))
            if shares
            for how, share in zip(("minmax", "zscore"), shares, strict=True)
            for corpus in ("zscore", "inputs")
        ],
    )
    assert verdicts("fig4", directory) == [None] * 3 + holds + [None] * 7


def test_fig4_features(directory):
    """One column of three counts in the inputs of min-max; in common units all count alike."""
    rows = [
        {"data": "california", "data.normalization": how, "seed": seed, "learner": "transformer", "column": column}
        | {"sensitivity": own + NOISE * deviation, "sensitivity_z": 1.0 + NOISE * deviation}
        for how, sensitivities in (("minmax", (0.0, 0.1, 1.0)), ("zscore", (0.9, 1.0, 1.1)))
        for column, own in zip("abc", sensitivities, strict=True)
        for seed, deviation in SEEDS.items()
    ]
    directory.write_table("features", rows)
    assert verdicts("fig4", directory)[-2:] == [True, False]
    read = directory.read_table("features")
    directory.write_table("features", [row | {"sensitivity_z": 1 / (1 + float(row["sensitivity"]))} for row in read])
    assert verdicts("fig4", directory)[-2:] == [True, True]
    others = {"minmax": "zscore", "zscore": "minmax"}
    directory.write_table(
        "features", [row | {"data.normalization": others[str(row["data.normalization"])]} for row in read]
    )
    assert verdicts("fig4", directory)[-2:] == [False, False]


def test_fig6(directory):
    close = {"sensitivity_cosine": (0.96, 0.97, 0.98, 0.99)}
    by_normalization(directory, "calories", **close)
    assert verdicts("fig6", directory) == [True] + [None] * 5
    by_normalization(directory, "calories", loss_difference=(0.0, -0.06, 0.0, 0.0), **close)
    assert verdicts("fig6", directory)[0] is False
    unstable = {"sensitivity_cosine": (0.9, 0.5, 0.9, 0.9), "sensitivity_l2": (1.0, 9.0, 1.0, 1.0)}
    falls, skewed = ((0.9, 1.0), (0.95, 0.5), (0.5, 9.0)), [("pH", 0.3, 0.5, 0.4), ("chlorides", 0.0, 0.2, 5.0)]
    by_normalization(directory, "wine", falls, skewed, swing=(0.0, 0.05, 0.0, 0.0), **unstable)
    assert verdicts("fig6", directory) == [None, True, False, True, True, True]
    by_normalization(directory, "wine", inputs=[("pH", 0.3, 0.5, 1.4)], swing=(0.05, 0.0, 0.0, 0.0))
    assert [verdicts("fig6", directory)[place] for place in (1, 2, 3, 5)] == [False] * 4
    rows = directory.read_table("seeds")
    directory.write_table("seeds", [row for row in rows if row["data.normalization"] != "tanh"])
    assert verdicts("fig6", directory)[1] is None, "three normalisations of four"


def test_depth(directory):
    def cosines(descent, corrected, difference):
        rows = []
        for part in ("layers_2", "layers_5"):
            place = {"part": part}
            rows += seeds(place, "gradient_descent", sensitivity_cosine=descent, loss_difference=difference)
            rows += seeds(place, "gd_plus_plus", noise=-NOISE, sensitivity_cosine=corrected, loss_difference=0.0)
        directory.write_table("seeds", rows)
        return verdicts("depth", directory)

    assert cosines(0.95, 0.99, -0.05) == [True]
    assert cosines(0.99, 0.95, -0.05) == [False]
    assert cosines(0.95, 0.99, 0.05) == [False]


def rag_retrieve(directory, none=2.0, pooled=1.5, each=0.5, step=1.0):
    rows = []
    for (part, loss), layers in itertools.product((("none", none), ("pooled", pooled), ("each", each)), (1, 2)):
        place = {"part": part, "model.num_layers": layers, "task.num_documents": 5}
        rows += seeds(place, "transformer", loss=loss) + seeds(place, "retrieved_descent", noise=-NOISE, loss=step)
    directory.write_table("seeds", rows)
    directory.write_table("points", rows)


def test_rag_retrieve(directory):
    rag_retrieve(directory)
    assert verdicts("rag_retrieve", directory) == [True, True, True, True]
    rag_retrieve(directory, none=0.4, each=1.1, pooled=0.7)
    assert verdicts("rag_retrieve", directory) == [False, False, False, True]
    rag_retrieve(directory, pooled=0.9)
    assert verdicts("rag_retrieve", directory) == [True, True, False, False]
