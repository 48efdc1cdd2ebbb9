"""The results of `functions` [Garg22]: errors of a decoder beside other predictors, by the number of examples.

d is the number of inputs of a function. Claims of several figures are here; figures say at which budget of training
they are judged.
"""

from analysis.figures import controls
from analysis.figures.cited import Work, own, said
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, combine
from analysis.figures.prefixes import SUBJECT, counts_of, width
from analysis.figures.prefixes import error as error_after
from analysis.results.declared import claim
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import NotMeasured, Row, distinct, table
from experiments.functions.functions import errors
from lab.runs.directory import RunDirectory

HEADLINES = (errors.error, errors.distance)
ANSWER = (
    "by the number of examples, the trained decoder's error, of the loss of the answer 0, is {error.decoder.*}",
    "the Bayes-optimal answer has {error.optimal.*}",
    "the decoder's squared distance from the exact Bayes answer, of E f², is {distance.decoder.*}",
)

HALF = 0.5  # of what the best other predictor learns from the same examples
OPTIMAL = "optimal"


def share_learned(directory: RunDirectory) -> Numbers:
    """Return what the decoder gains over the answer 0, whose error is 1, over what the best other predictor gains."""
    d = width(directory)
    places = controls.by_place(table(directory, Table.SEEDS), ByExamples.SEED).items()
    return {place.removesuffix(": "): _share(rows, d) for place, rows in places}


def _share(rows: list[Row], d: int) -> Estimate:
    """Return (1 - error) / (1 - smallest error of another predictor) after 2 d examples, or the most below that.

    Raises:
        NotMeasured: there is no other predictor, or it has learned nothing.
    """
    others = [name for name in distinct(rows, ByExamples.LEARNER) if name != SUBJECT]
    if not others:
        raise NotMeasured("there is no other predictor")
    count = max(count for count in counts_of(rows, SUBJECT, *others) if count <= 2 * d)
    best = min((error_after(rows, name, count) for name in others), key=lambda each: each.mean)
    if best.mean >= 1:
        raise NotMeasured(f"after {count:g} examples no predictor is better than the answer 0")
    return combine(lambda one, other: (1 - one) / (1 - other), error_after(rows, SUBJECT, count), best)


def lower(counts: errors.Counts, *others: str) -> Every:
    one, two = (errors.excess(other, counts) < 0 for other in others)
    return one & two


LEARNED = Control(
    "the decoder learns at least half of what the best other predictor learns in context",
    Quantity("share of what the best other predictor learns", "", share_learned, "at every point,") > HALF,
)
CONTROLS = (LEARNED, controls.flat("loss.decoder"))

LINEAR = (
    claim(
        "A Transformer learns linear functions in context as well as least squares, which is optimal.",
        said(Work.GARG22, "abstract and figure on linear functions"),
        errors.mean(SUBJECT, errors.AT_2D, noisy=False) < 0.05,
    ),
    claim(
        "With noisy examples it learns as well as the Bayes-optimal predictor, ridge regression.",
        own("derived here from the task: ridge regression at the variance of the noise is optimal"),
        errors.at_each_up_to_3d(SUBJECT) / errors.at_each_up_to_3d(OPTIMAL) - 1 < 0.1,
        "optimal: ridge at the variance of the noise",
    ),
    claim(
        "It is more accurate than averaging and than nearest neighbours.",
        said(Work.GARG22, "figure on linear functions"),
        (errors.excess("averaging", errors.AT_D, noisy=False) < 0)
        & (errors.excess("averaging", errors.AT_2D, noisy=False) < 0)
        & (errors.excess("nearest", errors.AT_D, noisy=False) < 0)
        & (errors.excess("nearest", errors.AT_2D, noisy=False) < 0),
    ),
)
NETWORK = (
    claim(
        "On networks of two layers a Transformer is as accurate as networks that are trained on the prompt.",
        said(Work.GARG22, "abstract, two-layer networks"),
        errors.difference("prompt_network", errors.FROM_D) < 0.05,
    ),
    claim(
        "It is more accurate than least squares and nearest neighbours.",
        said(Work.GARG22, "figure on two-layer networks"),
        lower(errors.FROM_D, "least_squares", "nearest"),
    ),
)
SPARSE = (
    claim(
        "On sparse linear functions a Transformer is more accurate than least squares: it uses that they are sparse.",
        said(Work.GARG22, "abstract, sparse linear functions"),
        errors.excess("least_squares", errors.BELOW_D) < 0,
    ),
    claim(
        "It follows Lasso.",
        said(Work.GARG22, "abstract, sparse linear functions"),
        (errors.difference("lasso", errors.FIRST_HALF) < 0.1) & (errors.difference("lasso", errors.SECOND_HALF) < 0.1),
    ),
)
BAYES_OPTIMAL_TREES = claim(
    "It is Bayes-optimal: its answers are as accurate as the mean over all trees, given the examples.",
    own("derived here from the task, whose trees can be listed"),
    errors.excess(OPTIMAL, errors.FROM_D) < 0.1,
)
TREE = (
    claim(
        "On decision trees a Transformer is more accurate than greedy tree learning and than boosting of trees.",
        said(Work.GARG22, "figure on decision trees"),
        lower(errors.FROM_D, "greedy_tree", "tree_boosting"),
    ),
    claim(
        "It is more accurate than the same learners on the signs of the inputs.",
        own("derived here from the task, whose inner nodes ask for signs"),
        lower(errors.FROM_D, "sign_tree", "sign_boosting"),
    ),
)
