"""Claims on how inputs are normalised, on tables that are made up: `fig4`, `fig6`."""

import typing

import pytest

from tests.experiments.regression.comparison.made_up import NOISE, SEEDS, curve, seeds, verdicts

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
    assert verdicts("fig4", directory) == [True, True] + [None] * 9
    by_normalization(directory, "bike", loss_difference=(0.02, -0.1, 0.2, 0.2))
    assert verdicts("fig4", directory)[:2] == [False, False], "the loss is far from RAG's"
    by_normalization(directory, "bike", loss_difference=(0.2, 0.03, 0.02, 0.2))
    assert verdicts("fig4", directory)[:2] == [True, True], "rank's loss is nearer, and is not asked for"
    by_normalization(directory, "bike", prediction_l2=(0.1, 0.2, 0.2, 0.2))
    assert verdicts("fig4", directory)[:2] == [True, False]
    by_normalization(directory, "bike", sensitivity_cosine=(0.99, 0.98, 0.9, 0.9))
    assert verdicts("fig4", directory)[:2] == [True, False]


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
    assert verdicts("fig4", directory)[8] is holds


def test_fig4_california(directory):
    unstable = {"sensitivity_cosine": (0.9, 0.5, 0.9, 0.9), "sensitivity_l2": (1.0, 9.0, 1.0, 1.0)}
    falls = ((0.9, 1.0), (0.95, 0.5), (0.5, 9.0))
    by_normalization(directory, "california", falls, CALIFORNIA, **unstable)
    assert verdicts("fig4", directory) == [None] * 5 + [True] * 4 + [None] * 2
    by_normalization(directory, "california")
    assert verdicts("fig4", directory)[6:8] == [False, True]
    z = {"sensitivity_cosine_z": (0.9, 0.5, 0.9, 0.9), "sensitivity_l2_z": (1.0, 9.0, 1.0, 1.0)}
    by_normalization(directory, "california", falls, **z)
    assert verdicts("fig4", directory)[5:8] == [True, False, False]


@pytest.mark.parametrize(
    ("bike", "california", "holds"),
    [
        ((0.9, 0.8), (0.9, 0.8), [True, True, True]),
        ((0.8, 0.9), (0.9, 0.8), [False, True, True]),
        ((0.805, 0.8), (0.9, 0.8), [None, True, True]),  # a standard error of .014
        (None, (0.9, 0.8), [None, True, None]),
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
    assert verdicts("fig4", directory) == [None] * 2 + holds + [None] * 6


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
    assert verdicts("fig6", directory) == [True] + [None] * 3
    by_normalization(directory, "calories", loss_difference=(0.0, -0.06, 0.0, 0.0), **close)
    assert verdicts("fig6", directory)[0] is False
    unstable = {"sensitivity_cosine": (0.9, 0.5, 0.9, 0.9), "sensitivity_l2": (1.0, 9.0, 1.0, 1.0)}
    falls, skewed = ((0.9, 1.0), (0.95, 0.5), (0.5, 9.0)), [("pH", 0.3, 0.5, 0.4), ("chlorides", 0.0, 0.2, 5.0)]
    by_normalization(directory, "wine", falls, skewed, swing=(0.0, 0.05, 0.0, 0.0), **unstable)
    assert verdicts("fig6", directory) == [None, True, True, True]
    by_normalization(directory, "wine", inputs=[("pH", 0.3, 0.5, 1.4)], swing=(0.05, 0.0, 0.0, 0.0))
    assert verdicts("fig6", directory)[1:] == [False] * 3
    rows = directory.read_table("seeds")
    directory.write_table("seeds", [row for row in rows if row["data.normalization"] != "tanh"])
    assert verdicts("fig6", directory)[1] is None, "three normalisations of four"
