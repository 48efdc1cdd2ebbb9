"""Learning in context against fine-tuning of a language model [DAI]: accuracies, and measures with their nulls."""

import contextlib
import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import points
from analysis.tables.select import NotMeasured, Row, rows_where, table
from experiments.demonstrations.icl_vs_finetune import results as study
from experiments.demonstrations.icl_vs_finetune.figure import chosen_rates, draw_arms, draw_layers, lines_of
from experiments.demonstrations.icl_vs_finetune.results import MEASURE
from experiments.demonstrations.language_finetune import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "Means over sets of demonstrations; bars are two standard errors over sets and test rows. Top, from the left: "
    "accuracy without demonstrations, after fine-tuning on those of a set, on other ones and on shuffled labels, and "
    "in context, with what the source printed of GPT of 1.3 and 2.7 billion parameters where it has the data set; "
    "Rec2FTP, the share of rows that are right in context among those that are wrong zero-shot and right after "
    "fine-tuning, beside its nulls; accuracy on validation rows by the rate of fine-tuning, and how many sets chose "
    "it; Kendall's tau of attention and of the inputs of attention; and by how much the probability of a row's right "
    "answer differs between orders of the same demonstrations. Bottom, by layer: similarity of the updates of "
    "attention's output, as they are and centred; of attention maps; of the orders in which demonstrations are "
    "attended to, as the source's program has them; and of the changes of attention maps."
)
LEARNERS = {"zero_shot": "zero-\nshot", "fine_tuned": "fine-\ntuned", "other": "on\nother", "shuffled":
            "on shuf-\nfled", "in_context": "in\ncontext"}  # fmt: skip
WAYS = {"in_context": "in\ncontext", "sgd": "one at\na time", "full_batch": "full\nbatch"}
REC2FTP = {"fine_tuned": "Rec2FTP", "per_episode": "in context,\nanyway", "other": "tuned on\nother",
           "shuffled": "on shuffled\nlabels"}  # fmt: skip


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(2, 5, width=18, height=7)
    accuracy, transfer, rates, printed = (table(directory, name) for name in (*study.TABLES, results.PUBLISHED))
    rows_at = [rows_where(accuracy, {study.LEARNER: name}) for name in LEARNERS]
    first = axes[0, 0]
    points(first, range(len(LEARNERS)), rows_at, study.accuracy.name, color="#0072B2", label="this model")
    _printed(first, printed, {f"accuracy.{name}": place for place, name in enumerate(LEARNERS)})
    first.set_xticks(range(len(LEARNERS)), LEARNERS.values(), fontsize="xx-small")
    first.set(ylabel=study.accuracy.label)
    first.margins(x=0.15)
    draw_arms(axes[0, 1], rows_where(transfer, {MEASURE: "rec2ftp"}), REC2FTP, color="#0072B2", label="this model")
    _printed(axes[0, 1], printed, {"rec2ftp": 0})
    axes[0, 1].set(ylabel="share right in context")
    chosen_rates(axes[0, 2], rates)
    panels = [(axes[0, 3], "kendall_inputs", "Kendall's tau, of inputs")]
    measures = study.MEASURES | {"sim_am_change": results.sim_am_change.label}
    panels += [(panel, *each) for panel, each in zip(axes[1], measures.items(), strict=True)]
    for panel, measure, title in panels:
        with contextlib.suppress(NotMeasured):  # tables of earlier runs have fewer measures
            draw_layers(panel, measure, lines_of(rows_where(transfer, {MEASURE: measure})))
        panel.set_title(title)
    with contextlib.suppress(NotMeasured):
        rows = table(directory, results.ORDER)
        rows_at = [rows_where(rows, {results.WAY: way}) for way in WAYS]
        points(axes[0, 4], range(len(WAYS)), rows_at, results.spread.name, color="#0072B2", label="this model")
        axes[0, 4].set_xticks(range(len(WAYS)), WAYS.values(), fontsize="small")
    axes[0, 4].set_title(results.spread.label)
    style.legend(*axes.flat)
    return figure


def _printed(panel: Axes, rows: list[Row], places: dict[str, int]) -> None:
    """Draw what the source printed; nothing where it has no such data set."""
    for column, marker in ((results.smaller, "x"), (results.larger, "+")):
        values = [(places[name], row[column.name]) for row in rows if (name := row.text(results.NUMBER)) in places]
        values = [(place + 0.2, value) for place, value in values if isinstance(value, float) and math.isfinite(value)]
        if values:
            panel.plot(*zip(*values, strict=True), marker, color="#999999", label=column.label)
