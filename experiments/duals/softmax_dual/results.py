"""The results of `softmax_dual`: columns, and claims about attention as gradient descent on features of its kernel.

Two claims are about trained decoders, and judged where these learn in context. No training decides the others.
"""

import math

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate
from analysis.results.column import FIRST, LAST, Column, Headline, up_to
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.select import NotMeasured, Row, group_by, rows_where, table, text
from lab.runs.directory import RunDirectory

# The tables, in the order in which they are written; the first where there are trained decoders. One row per seed and
# value of: map, frequencies, features (REPLACED), norm, too (ERRORS); map, norm, cosine (VARIANCES); model and form,
# demonstrations (PATH), nothing else (ENDS), path and demonstrations (SINGLE).
REPLACED, ERRORS, VARIANCES = "replaced", "errors", "variances"
PATH, ENDS, SINGLE = "path", "path_ends", "single_paths"
TABLES = (REPLACED, ERRORS, VARIANCES, PATH, ENDS, SINGLE)
SEED = "seed"
MAP, FREQUENCIES, FEATURES = "map", "frequencies", "features"  # the feature map; iid or orthogonal; how many
NORM, COSINE = "norm", "cosine"  # of queries and keys; of the angle between x and y
MODEL, FORM = "model", "form"  # a feature map, or the kernel form; of the normaliser: fixed or ratio
DEMONSTRATIONS, PROBLEM = "demonstrations", "path"  # learned so far, from 0 on; the problem of a single path
LOW, HIGH = "low", "high"  # quantiles over the problems, beside `median`
SQUARED_ERROR, KERNEL = "squared_error", "kernel"

accuracy = Column(REPLACED, "accuracy", "accuracy", "Accuracy with the features in every attention.", MAP)
own_accuracy = Column(REPLACED, "exact", "accuracy with exact attention", "Accuracy with exact attention.", MAP)
zero_shot = Column(REPLACED, "zero_shot", "accuracy zero-shot", "Accuracy without examples, exact attention.", MAP)
agreement = Column(REPLACED, "agreement", "agreement", "Share of queries that get the class of exact attention.", MAP)
median = Column(ERRORS, "median", "relative error, median", "Median relative error of one attention output.", MAP)
variance = Column(VARIANCES, "variance", "variance", "Variance of the estimates of one kernel value.", MAP)
formula = Column(VARIANCES, "oracle", "variance by formula", "The same by formula.", MAP)
end = Column(ENDS, "largest_end", "error at the end", "Largest error after the last demonstration.", MODEL, worst=max)
falls = Column(ENDS, "falls_throughout", "share of problems whose error falls throughout",
               "Share of problems for which every demonstration reduces the squared error.", MODEL)  # fmt: skip
rises = Column(ENDS, "rises", "steps that rise", "Share of demonstrations that make the error larger.", MODEL)

FEWEST, MOST = ({FREQUENCIES: "iid", FEATURES: which} for which in (FIRST, LAST))
HEADLINES = (
    Headline("end", "end of the kernel's paths", f"{end.sentence[:-1]}, in kernel form.", end["kernel"]),
    Headline("error_shortest", "error, shortest queries",
             "Median error of attention with the most features, shortest queries.",
             median.where(**MOST, norm=FIRST)["*"]),
    Headline("error_longest", "error, longest queries",
             "Median error of attention with the most features, longest queries.",
             median.where(**MOST, norm=LAST)["*"]),
    Headline("rises", rises.label, f"{rises.sentence[:-1]}, in kernel form.", rises.where(form="fixed")["kernel"]),
    Headline("exact", own_accuracy.label, own_accuracy.sentence, own_accuracy.where(**FEWEST)["positive"]),
    Headline("accuracy", "accuracy, fewest features", "Accuracy with the fewest features in every attention.",
             accuracy.where(**FEWEST)["*"]),
    Headline("agreement", "agreement, fewest features", f"{agreement.sentence[:-1]}, with the fewest features.",
             agreement.where(**FEWEST)["*"]),
)  # fmt: skip
ANSWER = (
    "in kernel form the gradient steps end {end} from softmax attention at most",
    "the most trigonometric features leave a median error of {error_shortest.trigonometric} for the shortest queries "
    "and keys and of {error_longest.trigonometric} for the longest",
    "the fewest take a trained decoder's accuracy from {exact} to {accuracy.*}; trigonometric ones leave the class as "
    "it is for {agreement.trigonometric} of queries",
)

EXACT = 1e-12
SHORT, ENOUGH = 1.0, 256  # norm up to which the slope is asserted, and features from which on: the rate is asymptotic
LIGHT = 0.5  # norm up to which estimates have no heavy tails


def slopes(directory: RunDirectory) -> Numbers:
    """Return the slope of log(median error) against log(number of features), by least squares, at every norm."""
    rows = rows_where(table(directory, ERRORS), {MAP: "trigonometric", FREQUENCIES: "iid"})
    rows = [row for row in rows if row.number(FEATURES) >= ENOUGH and row.number(NORM) <= SHORT]
    if len({row[FEATURES] for row in rows}) < 2:
        raise NotMeasured(f"fewer than two numbers of features from {ENOUGH} on at norms up to {SHORT:g}")
    return {
        f"norm {text(norm)}": Estimate({seed: _slope(each) for seed, each in group_by(group, SEED).items()})
        for norm, group in group_by(rows, NORM).items()
    }


def _slope(rows: list[Row]) -> float:
    x, y = ([math.log(row.number(key)) for row in rows] for key in (FEATURES, median.name))
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return products / sum((a - x_mean) ** 2 for a in x)


slope = Quantity("slope of log median error by log features", "trigonometric, iid", slopes,
                 f"from {ENOUGH} features on, at every norm up to {SHORT:g},")  # fmt: skip
in_context, asked_alone = (each.where(**FEWEST)["positive"] for each in (own_accuracy, zero_shot))
light, by_formula = (each.where(norm=up_to(LIGHT)).along((MAP, COSINE)) for each in (variance, formula))
positive, waves = (accuracy.where(frequencies="iid").along(FEATURES, name) for name in ("positive", "trigonometric"))

CONTROLS = (Control("the decoders learn in context", in_context - asked_alone > 0),)
CLAIMS = (
    claim(
        "Softmax attention is a model that has taken one step of gradient descent for each demonstration.",
        said(Work.LRGD, "section 4.2 and figure 8(a)", "after one whole gradient descent step for each token"),
        end.where(form="fixed")["kernel"] < EXACT,
        "on every problem, with the normaliser of the query",
        controls=(),
    ),
    claim(
        "In ratio form, in which one model answers all queries, the same steps lead to attention, too.",
        own("derived here from LRGD, eqs. 8-11"),
        end.where(form="ratio")["kernel"] < EXACT,
        "on every problem",
        controls=(),
    ),
    claim(
        "On the way there some demonstrations move the output away from that of attention.",
        own("derived here from LRGD, eqs. 8-11"),
        falls.along(FORM, "kernel") < 0.5,
        "with a fixed normaliser and in ratio form",
        controls=(),
    ),
    claim(
        "The error of one attention output falls as one over the square root of the number of features.",
        own("derived here from LRGD, eq. 19"),
        slope.between(-0.6, -0.4),
        controls=(),
    ),
    claim(
        "The variance of an estimated kernel value is that of the formulas.",
        own(),
        (light / by_formula).between(0.97, 1.03),
        "at longer norms tails are heavy",
        controls=(),
    ),
    claim(
        "About a hundred of LRGD's features reproduce a trained model.",
        stronger(Work.LRGD, "appendix A.2, below eq. 19", "typically around 100"),
        agreement.where(frequencies="iid", features=100)["trigonometric"] > 0.95,
        "of trained decoders, with every attention replaced by its form in features",
    ),
    claim(
        "Positive features keep more of a trained model than trigonometric ones.",
        own("derived here from LRGD, eq. 19, and the variances of feature maps"),
        positive - waves > 0,
    ),
)
