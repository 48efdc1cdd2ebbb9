"""Recommenders of the next item side by side, among sampled candidates and in the whole catalogue."""

import textwrap
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import mean_over_seeds
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.recommendation.recommend import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "nDCG@10 and Recall@10 of the item that a user takes next, mean over seeds; bars are two standard errors over "
    "seeds, or of one seed over users. One row per way of splitting the log. Left: among 50 candidates: the item and "
    "49 others, drawn uniformly. Right: among all items. `chance` is a random order; `truth` ranks by the "
    "utilities that items were drawn by, tastes included, which no recommender knows."
)
LOOKS = {  # label, colour
    "chance": ("chance", "#999999"),
    "popularity": ("popularity", "#DDCC77"),
    "markov": ("Markov chain, counted", "#E69F00"),
    "low_rank": ("Markov chain, trained vectors", "#882255"),
    "descent": ("trained vectors, one step of descent in context", "#D55E00"),
    "zero_shot": ("no demonstrations", "#88CCEE"),
    "random": ("a few random demonstrations", "#44AA99"),
    "random_twice": ("twice as many random ones", "#117733"),
    "pool": ("all demonstrations of the pool", "#999933"),
    "one_path": ("demonstrations searched by one path", "#CC6677"),
    "three_paths": ("demonstrations searched by three perturbed paths", "#AA4499"),
    "gru": ("GRU", "#009E73"),
    "sasrec": ("decoder (SASRec)", "#332288"),
    "truth": ("true utilities", "#000000"),
}
TITLES = {results.SAMPLED: "sampled candidates", results.ALL: "all items"}
METRICS = (results.ndcg, results.recall)
MARKS = (("o", -0.15), ("D", 0.15))  # of the measures, and how far from the middle of a row
NumberOf = Callable[[list[Row], str], tuple[float, float]]  # rows of one recommender, column -> mean, two errors


def over_users(rows: list[Row], column: str) -> tuple[float, float]:
    """Return the mean of a measure over seeds, and two standard errors over seeds and over users, whom all share."""
    mean, error = mean_over_seeds(rows, column)
    users = float(np.mean([row.number(f"{column}.stderr") for row in rows]))
    return mean, float(np.hypot(error, 2 * users)) if len(rows) > 1 else error


def draw(directory: RunDirectory) -> Figure:
    return draw_each(directory, mean_over_seeds, lambda split: "")


def draw_each(directory: RunDirectory, number_of: NumberOf, note_of: Callable[[str], str]) -> Figure:
    """Draw one row per way of splitting the log.

    Args:
        number_of: the mean and the bar of a recommender. note_of: what is added to the titles of a split.
    """
    rows = table(directory, results.LEARNERS)
    splits = distinct(rows, results.SPLIT)
    names = [name for name in LOOKS if any(row[results.LEARNER] == name for row in rows)]
    high = 1.6 + 0.26 * len(names)
    figure, axes = style.panels(len(splits), len(TITLES), width=11, height=high * len(splits) + 0.5, sharey=True)
    for of_split, split in zip(axes, splits, strict=True):
        for panel, (candidates, title) in zip(of_split, TITLES.items(), strict=True):
            _dots(panel, rows_where(rows, {results.SPLIT: split, results.CANDIDATES: candidates}), names, number_of)
            panel.set_title(f"{split.replace('_', ' ')}: {title}{note_of(split)}")
    style.legend(*axes[0])
    return figure


def _dots(panel: Axes, rows: list[Row], names: list[str], number_of: NumberOf) -> None:
    """Draw one row per recommender, with its name in its colour, and one mark per measure."""
    places = range(len(names))
    for (marker, lift), metric in zip(MARKS, METRICS, strict=True):
        for place, name in enumerate(names):
            mean, error = number_of(rows_where(rows, {results.LEARNER: name}), metric.name)
            look = {"color": LOOKS[name][1], "fmt": marker, "markersize": 5, "capsize": 2}
            panel.errorbar(mean, place + lift, xerr=error, **look)
        panel.plot([], [], marker, color="#555555", label=metric.label)
    panel.set_yticks(places, [textwrap.fill(LOOKS[name][0], 28) for name in names], fontsize=8, linespacing=0.9)
    for label, name in zip(panel.get_yticklabels(), names, strict=False):  # a panel that shares them has none
        label.set_color(LOOKS[name][1])
    panel.set(xlim=(0, None), ylim=(len(names) - 0.5, -0.5))
