"""Decision trees at several budgets of training: what a decoder would reach with more."""

import functools

from analysis.figures.budgets import controls_at_largest, over_budgets
from analysis.tables.columns import Table
from experiments.functions.functions import budgets
from experiments.functions.functions.results import BAYES_OPTIMAL_TREES
from experiments.functions.functions.results import CONTROLS as OF_ONE

CAPTION = budgets.CAPTION.format(counts="d and more")
NEEDS_POINTS = True
BANDS = True
CONTROLS = controls_at_largest(OF_ONE, Table.SEEDS)
CLAIMS = over_budgets((BAYES_OPTIMAL_TREES,), Table.SEEDS)
draw = functools.partial(budgets.draw, first=1.0, last=float("inf"))
