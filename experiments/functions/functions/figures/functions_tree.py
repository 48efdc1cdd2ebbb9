"""Decision trees: a decoder beside trees that are fitted to the prompt, and beside the mean over all trees."""

from analysis.figures.budgets import over_budgets
from analysis.tables.columns import Table
from experiments.functions.functions.figure import BANDS as BANDS
from experiments.functions.functions.figure import CAPTION as CAPTION
from experiments.functions.functions.figure import draw as draw
from experiments.functions.functions.results import CONTROLS as CONTROLS
from experiments.functions.functions.results import TREE

CLAIMS = over_budgets(TREE, Table.SEEDS)  # whether it is Bayes-optimal `tree_budgets` asks
