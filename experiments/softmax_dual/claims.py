"""Claims about softmax attention as gradient descent on features of its kernel."""

import math

from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, Estimate, above, below, estimate, exact
from analysis.tables.select import NotMeasured, Row, distinct, group_by, numbers, rows_where, table, text
from experiments.softmax_dual.columns import (
    Decoders,
    Errors,
    Features,
    Model,
    PathEnds,
    Quantile,
    Table,
    Variances,
)
from lab.runs.directory import RunDirectory

EXACT = 1e-12
NEARLY_ALL = 0.99
FORMS = {"fixed": "fixed c", "ratio": "ratio form"}
SLOPE = (-0.6, -0.4)
FEWEST = 256  # features; the slope is taken from this number on, as the rate is asymptotic
SHORT = 1.0  # norm up to which the slope is asserted
FORMULA = 0.03  # how far a measured variance may be from the formula
TYPICAL = 100  # features: LRGD's "typically around 100"
AGREES = 0.95
LIGHT = 0.5  # norm up to which estimates have no heavy tails


def ends_at_attention(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.PATH_ENDS), {Model.MODEL: "kernel"})
    largest = {form: max(numbers(rows_where(rows, {Model.FORM: form}), PathEnds.LARGEST_END)) for form in FORMS}
    return [below(f"{label}: largest error", exact(largest[form]), EXACT) for form, label in FORMS.items()]


def falls_with_every_token(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.PATH_ENDS), {Model.MODEL: "kernel"})
    name = "%s: share of problems whose error falls with every token"
    shares = {form: estimate(rows_where(rows, {Model.FORM: form}), PathEnds.FALLS_THROUGHOUT) for form in FORMS}
    return [above(name % label, shares[form], NEARLY_ALL) for form, label in FORMS.items()]


def slope(rows: list[Row]) -> Estimate:
    """Return the slope of log(median error) against log(number of features), for each seed, by least squares.

    Raises:
        NotMeasured: there are fewer than two numbers of features from `FEWEST` on.
    """
    rows = [row for row in rows if row.number(Features.FEATURES) >= FEWEST]
    if len({row[Features.FEATURES] for row in rows}) < 2:
        raise NotMeasured(f"fewer than two numbers of features from {FEWEST} on")
    return Estimate({seed: _slope(group) for seed, group in group_by(rows, Features.SEED).items()})


def _slope(rows: list[Row]) -> float:
    x, y = ([math.log(row.number(key)) for row in rows] for key in (Features.FEATURES, Quantile.MEDIAN))
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return products / sum((a - x_mean) ** 2 for a in x)


def has_rate(directory: RunDirectory) -> list[Condition]:
    errors = table(directory, Table.ERRORS)
    rows = rows_where(errors, {Features.MAP: "trigonometric", Features.FREQUENCIES: "iid"})
    norms = [norm for norm in distinct(rows, Errors.NORM) if norm <= SHORT]
    if not norms:
        raise NotMeasured(f"there is no norm up to {SHORT:g}")
    slopes = {norm: slope(rows_where(rows, {Errors.NORM: norm})) for norm in norms}
    return [Condition(f"slope at norm {text(norm)}", number, *SLOPE) for norm, number in slopes.items()]


def variances_are_the_formulas(directory: RunDirectory) -> list[Condition]:
    rows = [row for row in table(directory, Table.VARIANCES) if row.number(Variances.NORM) <= LIGHT]
    if not rows:
        raise NotMeasured(f"there is no norm up to {LIGHT:g}")
    conditions = []
    for name, by_map in group_by(rows, Features.MAP).items():
        for cosine, group in group_by(by_map, Variances.COSINE).items():
            ratio = Estimate({row.number(Features.SEED): _ratio(row) for row in group})
            label = f"{name}, cosine {text(cosine)}: measured / formula"
            conditions.append(Condition(label, ratio, 1 - FORMULA, 1 + FORMULA))
    return conditions


def _ratio(row: Row) -> float:
    return row.number(Variances.VARIANCE) / row.number(Variances.ORACLE)


def a_hundred_features_reproduce(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(
        table(directory, Table.REPLACED),
        {Features.MAP: "trigonometric", Features.FREQUENCIES: "iid", Features.FEATURES: TYPICAL},
    )
    return [above("agreement", estimate(rows, Decoders.AGREEMENT), AGREES)]


def positive_features_are_better(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.REPLACED), {Features.FREQUENCIES: "iid"})
    conditions = []
    for count, group in group_by(rows, Features.FEATURES).items():
        positive, waves = (
            estimate(rows_where(group, {Features.MAP: name}), Decoders.ACCURACY)
            for name in ("positive", "trigonometric")
        )
        conditions.append(above(f"{text(count)} features: accuracy, positive - trigonometric", positive - waves))
    return conditions


CLAIMS = (
    Claim(
        statement="Softmax attention is a model that has taken one step of gradient descent for each demonstration.",
        source="LRGD, eqs. 5-11 and figure 8",
        criterion="in kernel form, with a fixed normaliser and in ratio form, the output after the last demonstration "
        "is within 1e-12 of that of softmax attention on every problem",
        judge=ends_at_attention,
    ),
    Claim(
        statement="The output gets closer to that of attention with every demonstration.",
        source="LRGD, figure 8",
        criterion="in kernel form, both with a fixed normaliser and in ratio form, every demonstration lowers the "
        "squared error on more than 99% of the problems",
        judge=falls_with_every_token,
    ),
    Claim(
        statement="The error of one attention output falls as one over the square root of the number of features.",
        source="this lab, on LRGD's features",
        criterion="with independent trigonometric features the slope of the logarithm of the median error, from 256 "
        "features on, is between -0.6 and -0.4 at every norm up to 1",
        judge=has_rate,
    ),
    Claim(
        statement="The variance of an estimated kernel value is that of the formulas.",
        source="derived here",
        criterion="for each feature map, at norms up to 0.5, where tails are light, variances are within 3% of the "
        "formula",
        judge=variances_are_the_formulas,
    ),
    Claim(
        statement="About a hundred of LRGD's features reproduce a trained model.",
        source="LRGD",
        criterion="trained decoders, with every attention replaced by its form in 100 independent trigonometric "
        "features, give the class that they give with exact attention for more than 95% of the queries",
        judge=a_hundred_features_reproduce,
    ),
    Claim(
        statement="Positive features keep more of a trained model than trigonometric ones.",
        source="this lab",
        criterion="the decoders' accuracy with independent positive features is above that with as many trigonometric "
        "ones, at every number of features",
        judge=positive_features_are_better,
    ),
)
