"""A language model that recommends, by its demonstrations and by the way to compare log-probabilities, beside
recommenders of the log."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import mean_over_seeds
from analysis.figures.narrow import is_paper
from analysis.tables.select import distinct, rows_where, table
from experiments.recommendation.language_recommend.results import ARMS, PRIOR, WAYS, name_of
from experiments.recommendation.recommend.figure import LOOKS
from experiments.recommendation.recommend.results import CANDIDATES, LEARNER, LEARNERS, SAMPLED, SPLIT, ndcg
from lab.runs.directory import RunDirectory

CAPTION = (
    "nDCG@10 of the item that a user takes next, among it and others that are drawn uniformly; means over seeds, and "
    "bars of two standard errors over seeds, or of one seed over users. A language model ranks by the log-probability "
    "of a title: its sum over tokens, its mean, and the sum less that behind a past without content (calibrated). "
    "Lines: recommenders that are fitted to the log, and a random order."
)
ARM_LABELS = {
    "alone": "latest items\nalone",
    "others": "behind other\nusers' pasts",
    "own": "behind the\nown past",
}
COLOURS = dict(zip(("calibrated", "mean", "sum"), style.COLOURS, strict=False))  # as in language_examples
LINES = ("chance", "popularity", "markov", "descent", "gru", "sasrec")


def draw(directory: RunDirectory) -> Figure:
    rows = rows_where(table(directory, LEARNERS), {CANDIDATES: SAMPLED})
    splits = distinct(rows, SPLIT)
    figure, axes = style.panels(1, len(splits), width=6.5 * len(splits), height=3.8)
    for panel, split in zip(axes[0], splits, strict=True):
        here = rows_where(rows, {SPLIT: split})
        for number, way in enumerate(WAYS):
            for place, arm in enumerate(ARMS):
                mean, error = _of(here, name_of(arm, way))
                label = way if place == 0 else None
                x = 1 + place + (number - 1) * 0.25
                panel.bar(x, mean, 0.23, yerr=error, color=COLOURS[way], capsize=2, label=label)
        mean, error = _of(here, PRIOR)
        panel.bar(0, mean, 0.23, yerr=error, color="#BBBBBB", capsize=2)
        for name in LINES:
            label, color = LOOKS[name]
            panel.axhline(_of(here, name)[0], color=color, linewidth=1.0, linestyle="--", label=label)
        turned = {"rotation": 40, "fontsize": "small"} if is_paper() else {}
        panel.set_xticks(range(1 + len(ARMS)), ["nothing\nread", *(ARM_LABELS[arm] for arm in ARMS)], **turned)
        panel.set(title=split.replace("_", " "), ylabel=ndcg.label)
        panel.grid(axis="x", visible=False)
        style.name_at_ends(panel)
    style.legend(*axes[0])
    return figure


def _of(rows: list, name: str) -> tuple[float, float]:
    return mean_over_seeds(rows_where(rows, {LEARNER: name}), ndcg.name)
