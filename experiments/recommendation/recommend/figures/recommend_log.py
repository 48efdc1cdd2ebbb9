"""Recommenders of the next item in a log of real users: as `recommend`, but without the true utilities."""

from matplotlib.figure import Figure

from analysis.tables.select import rows_where, table
from experiments.recommendation.recommend import figure as recommend
from experiments.recommendation.recommend.results import NEW, OF_A_LOG, SPLIT, USERS, USERS_OF
from lab.runs.directory import RunDirectory

CAPTION = (
    "nDCG@10 and Recall@10 of the item that a user of a real log takes next, mean over seeds, which differ in initial "
    "weights, batches and candidates; bars are two standard errors over the test users, whom all seeds share, and over "
    "seeds. One row per way of splitting the log, with the number of test users; further ones took nothing before the "
    "split, so they are no test. Left: among the item and others, drawn uniformly. Right: among all items. `chance` "
    "is a random order."
)
CLAIMS = OF_A_LOG


def draw(directory: RunDirectory) -> Figure:
    counts = table(directory, USERS_OF)

    def note_of(split: str) -> str:
        row = rows_where(counts, {SPLIT: split})[0]
        new = f", {row.number(NEW):g} new left out" if row.number(NEW) else ""
        return f" ({row.number(USERS):g} users{new})"

    return recommend.draw_each(directory, recommend.over_users, note_of)
