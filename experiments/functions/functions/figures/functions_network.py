"""Networks of two layers as functions: a decoder beside networks that are trained on the prompt."""

from analysis.figures.budgets import over_budgets
from analysis.tables.columns import Table
from experiments.functions.functions.figure import BANDS as BANDS
from experiments.functions.functions.figure import CAPTION as CAPTION
from experiments.functions.functions.figure import draw as draw
from experiments.functions.functions.results import CONTROLS as CONTROLS
from experiments.functions.functions.results import NETWORK

CLAIMS = over_budgets(NETWORK, Table.SEEDS)
