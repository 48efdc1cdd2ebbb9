"""Decision trees: a decoder beside trees that are fitted to the prompt."""

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.prefixes import lower_error
from experiments.functions.controls import CONTROLS as CONTROLS
from experiments.functions.figure import BANDS as BANDS
from experiments.functions.figure import CAPTION as CAPTION
from experiments.functions.figure import draw as draw

CLAIMS = (
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
)
