"""Sparse linear functions: a decoder beside least squares, Lasso, and the mean over all sets of coordinates."""

from experiments.functions.functions.figure import BANDS as BANDS
from experiments.functions.functions.figure import CAPTION as CAPTION
from experiments.functions.functions.figure import draw as draw
from experiments.functions.functions.results import CONTROLS as CONTROLS

CLAIMS = ()  # one budget refutes nothing: `sparse_budgets` has several
