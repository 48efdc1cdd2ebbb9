"""Claims about softmax attention as gradient descent on features of its kernel.

Two of them are about trained decoders, and judged where these learn in context. No training decides the others.
"""

import math
from collections.abc import Callable

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate, exact
from analysis.figures.evidence import Condition, above, below
from analysis.tables.select import NotMeasured, Row, distinct, group_by, numbers, rows_where, table, text
from experiments.duals.softmax_dual.columns import (
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
MOST = 0.5  # of the problems
FORMS = {"fixed": "fixed c", "ratio": "ratio form"}
SLOPE = (-0.6, -0.4)
FEWEST = 256  # features; the slope is taken from this number on, as the rate is asymptotic
SHORT = 1.0  # norm up to which the slope is asserted
FORMULA = 0.03  # how far a measured variance may be from the formula
TYPICAL = 100  # features
AGREES = 0.95
LIGHT = 0.5  # norm up to which estimates have no heavy tails


def ends_at_attention(form: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the paths of the kernel form end at softmax attention, with this normaliser."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_where(table(directory, Table.PATH_ENDS), {Model.MODEL: "kernel", Model.FORM: form})
        return [below(f"{FORMS[form]}: largest error", exact(max(numbers(rows, PathEnds.LARGEST_END))), EXACT)]

    return judge


def rises_on_the_way(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.PATH_ENDS), {Model.MODEL: "kernel"})
    name = "%s: share of problems whose error falls with every token"
    shares = {form: estimate(rows_where(rows, {Model.FORM: form}), PathEnds.FALLS_THROUGHOUT) for form in FORMS}
    return [below(name % label, shares[form], MOST) for form, label in FORMS.items()]


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


def learns_in_context(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.REPLACED)
    columns = (Features.MAP, Features.FREQUENCIES, Features.FEATURES)
    rows = rows_where(rows, {column: rows[0][column] for column in columns})  # exact attention is in each group
    in_context, zero_shot = (estimate(rows, column) for column in (Decoders.EXACT, Decoders.ZERO_SHOT))
    return [above("accuracy in context - zero-shot", in_context - zero_shot)]


CONTROLS = (Control("the decoders learn in context", learns_in_context),)
CLAIMS = (
    Claim(
        statement="Softmax attention is a model that has taken one step of gradient descent for each demonstration.",
        source=said(Work.LRGD, "section 4.2 and figure 8(a)", "after one whole gradient descent step for each token"),
        criterion="in kernel form, with the normaliser of the query, the output after the last demonstration is within "
        "1e-12 of that of softmax attention on every problem",
        judge=ends_at_attention("fixed"),
        controls=(),
    ),
    Claim(
        statement="In ratio form, in which one model answers all queries, the same steps lead to attention, too.",
        source=own("derived here from LRGD, eqs. 8-11"),
        criterion="the output after the last demonstration is within 1e-12 of that of softmax attention on every "
        "problem",
        judge=ends_at_attention("ratio"),
        controls=(),
    ),
    Claim(
        statement="On the way there some demonstrations move the output away from that of attention.",
        source=own("derived here from LRGD, eqs. 8-11"),
        criterion="in kernel form, both with a fixed normaliser and in ratio form, the squared error falls with every "
        "demonstration on less than half of the problems",
        judge=rises_on_the_way,
        controls=(),
    ),
    Claim(
        statement="The error of one attention output falls as one over the square root of the number of features.",
        source=own("derived here from LRGD, eq. 19"),
        criterion="with independent trigonometric features the slope of the logarithm of the median error, from 256 "
        "features on, is between -0.6 and -0.4 at every norm up to 1",
        judge=has_rate,
        controls=(),
    ),
    Claim(
        statement="The variance of an estimated kernel value is that of the formulas.",
        source=own(),
        criterion="for each feature map, at norms up to 0.5, where tails are light, variances are within 3% of the "
        "formula",
        judge=variances_are_the_formulas,
        controls=(),
    ),
    Claim(
        statement="About a hundred of LRGD's features reproduce a trained model.",
        source=stronger(Work.LRGD, "appendix A.2, below eq. 19", "typically around 100"),
        criterion="trained decoders, with every attention replaced by its form in 100 independent trigonometric "
        "features, give the class that they give with exact attention for more than 95% of the queries",
        judge=a_hundred_features_reproduce,
    ),
    Claim(
        statement="Positive features keep more of a trained model than trigonometric ones.",
        source=own("derived here from LRGD, eq. 19, and the variances of feature maps"),
        criterion="the decoders' accuracy with independent positive features is above that with as many trigonometric "
        "ones, at every number of features",
        judge=positive_features_are_better,
    ),
)
