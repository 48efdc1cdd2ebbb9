"""The search for demonstrations that a language model writes: nDCG@10 and similarity by round [LRGD, figure 9]."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import mean_over_seeds
from analysis.tables.columns import Rounds
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.recommendation.language_recommend.results import ROUNDS
from experiments.recommendation.language_recommend.search import KEPT, PERTURBED
from experiments.recommendation.recommend.figure import LOOKS as RECOMMENDERS
from experiments.recommendation.recommend.figure import over_users
from experiments.recommendation.recommend.results import CANDIDATES, LEARNER, LEARNERS, SAMPLED, SPLIT, ndcg
from lab.runs.directory import RunDirectory

CAPTION = (
    "By the round of the search, 0 before it: nDCG@10 of the test item behind the demonstrations that are best on the "
    "validation item, and the similarity of a memory with that of the round before (Jaccard index of the words of "
    "its titles). A language model writes the demonstrations. Means over seeds; bars are two standard errors over "
    "users and seeds. With perturbation, a collapsed memory is offered another path's demonstration."
)
CLAIMS = ()  # `language_recommend` does not meet the control that the model ranks better for what a user watched
LOOKS = {  # label, colour, line
    KEPT: ("without perturbation", "#000000", "--o"),
    PERTURBED: ("with perturbation", "#D55E00", "-D"),
}
LINES = ("chance", "popularity")
COLUMNS = ((ndcg.name, ndcg.label), (Rounds.SIMILARITY, "similarity with the round before"))


def draw(directory: RunDirectory) -> Figure:
    rows, learners = table(directory, ROUNDS), rows_where(table(directory, LEARNERS), {CANDIDATES: SAMPLED})
    splits = distinct(rows, SPLIT)
    figure, axes = style.panels(len(splits), len(COLUMNS), width=9, height=3.6 * len(splits))
    for of_split, split in zip(axes, splits, strict=True):
        for panel, (column, label) in zip(of_split, COLUMNS, strict=True):
            _by_round(panel, rows_where(rows, {SPLIT: split}), column)
            for name in LINES if column == ndcg.name else ():
                label_of, color = RECOMMENDERS[name]
                mean, _ = mean_over_seeds(rows_where(learners, {SPLIT: split, LEARNER: name}), column)
                panel.axhline(mean, color=color, linewidth=1.0, linestyle=":", label=label_of)
            where = f"{split.replace('_', ' ')}: " if len(splits) > 1 else ""
            panel.set(xlabel="round", ylabel=label, title=where + label)
    style.legend(*axes[0])
    return figure


def _by_round(panel: Axes, rows: list[Row], column: str) -> None:
    first = 2 if column == Rounds.SIMILARITY else 0
    for name, (label, color, dashes) in LOOKS.items():
        chosen = rows_where(rows, {Rounds.METHOD: name})
        rounds = [number for number in distinct(chosen, Rounds.ROUND) if number >= first]
        at_each = [over_users(rows_where(chosen, {Rounds.ROUND: number}), column) for number in rounds]
        means, errors = np.transpose(at_each) if at_each else ([], [])
        lift = 0.06 if name == PERTURBED else -0.06  # so that bars do not hide one another
        panel.errorbar(np.array(rounds) + lift, means, errors, fmt=dashes, color=color, capsize=2, label=label)
    panel.set_xticks(distinct(rows, Rounds.ROUND))
