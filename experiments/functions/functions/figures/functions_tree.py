"""Decision trees: a decoder beside trees that are fitted to the prompt, and beside the mean over all trees."""

from analysis.figures.budgets import over_budgets
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, below
from analysis.figures.prefixes import SUBJECT, counts_of, lower_error, mean_error, relative, width
from analysis.tables.columns import Table
from analysis.tables.select import table
from experiments.functions.functions.controls import CONTROLS as CONTROLS
from experiments.functions.functions.figure import BANDS as BANDS
from experiments.functions.functions.figure import CAPTION as CAPTION
from experiments.functions.functions.figure import draw as draw
from lab.runs.directory import RunDirectory

OPTIMAL = "optimal"
CLOSE = 0.1


def is_optimal(directory: RunDirectory) -> list[Condition]:
    rows, d = table(directory, Table.SEEDS), width(directory)
    counts = [count for count in counts_of(rows, SUBJECT, OPTIMAL) if count >= d]
    excess = relative(mean_error(rows, SUBJECT, counts), mean_error(rows, OPTIMAL, counts))
    return [below("d examples and more: error / the Bayes-optimal answer's - 1", excess, CLOSE)]


IS_OPTIMAL = Claim(
    "It is Bayes-optimal: its answers are as accurate as the mean over all trees, given the examples.",
    own("derived here from the task, whose trees can be listed"),
    "mean error over d examples and more at most 10% above that of the Bayes-optimal answer",
    is_optimal,
)
CRITERIA = (
    Claim(
        "On decision trees a Transformer is more accurate than greedy tree learning and than boosting of trees.",
        said(Work.GARG22, "figure on decision trees"),
        "mean error over d examples and more below that of either",
        lower_error(("greedy_tree", "tree_boosting"), lambda count, d: count >= d, "d examples and more"),
    ),
    Claim(
        "It is more accurate than the same learners on the signs of the inputs.",
        own("derived here from the task, whose inner nodes ask for signs"),
        "mean error over d examples and more below that of either",
        lower_error(("sign_tree", "sign_boosting"), lambda count, d: count >= d, "d examples and more"),
    ),
    IS_OPTIMAL,
)
CLAIMS = over_budgets(CRITERIA, Table.SEEDS)  # one budget refutes nothing: `tree_budgets` has several
