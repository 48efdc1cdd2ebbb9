"""Sparse linear functions at several budgets of training: what a decoder would reach with more."""

import functools

from analysis.figures.budgets import controls_at_largest, over_budgets
from analysis.tables.columns import Table
from experiments.functions.functions import budgets
from experiments.functions.functions.results import CONTROLS as OF_ONE
from experiments.functions.functions.results import SPARSE

CAPTION = budgets.CAPTION.format(counts="d/2 to d - 1")
NEEDS_POINTS = True
BANDS = True
CONTROLS = controls_at_largest(OF_ONE, Table.SEEDS)
CLAIMS = over_budgets(SPARSE, Table.SEEDS)
draw = functools.partial(budgets.draw, first=0.5, last=0.99)
