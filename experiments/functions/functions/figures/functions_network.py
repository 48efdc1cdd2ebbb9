"""Networks of two layers as functions: a decoder beside networks that are trained on the prompt."""

from analysis.figures.budgets import over_budgets
from analysis.figures.cited import Work, said
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, below
from analysis.figures.prefixes import SUBJECT, counts_of, lower_error, mean_error, width
from analysis.tables.columns import Table
from analysis.tables.select import table
from experiments.functions.functions.controls import CONTROLS as CONTROLS
from experiments.functions.functions.figure import BANDS as BANDS
from experiments.functions.functions.figure import CAPTION as CAPTION
from experiments.functions.functions.figure import draw as draw
from lab.runs.directory import RunDirectory

CLOSE = 0.05  # of E f^2


def follows_training(directory: RunDirectory) -> list[Condition]:
    """Bound the difference of errors from above alone: a lower error counts as following too."""
    rows, d = table(directory, Table.SEEDS), width(directory)
    counts = [count for count in counts_of(rows, SUBJECT, "prompt_network") if count >= d]
    difference = mean_error(rows, SUBJECT, counts) - mean_error(rows, "prompt_network", counts)
    return [below("d examples and more: error - that of networks trained on the prompt", difference, CLOSE)]


CRITERIA = (
    Claim(
        "On networks of two layers a Transformer is as accurate as networks that are trained on the prompt.",
        said(Work.GARG22, "abstract, two-layer networks"),
        "mean error over d examples and more at most .05 of E f² above theirs",
        follows_training,
    ),
    Claim(
        "It is more accurate than least squares and nearest neighbours.",
        said(Work.GARG22, "figure on two-layer networks"),
        "mean error over d examples and more below that of either",
        lower_error(("least_squares", "nearest"), lambda count, d: count >= d, "d examples and more"),
    ),
)
CLAIMS = over_budgets(CRITERIA, Table.SEEDS)
