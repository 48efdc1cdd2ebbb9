"""Learning in context against fine-tuning on the same examples [DAI]: accuracies, and measures with their nulls."""

import functools

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.measures import mean_over_seeds
from analysis.figures.transfer import MEASURES, draw_arms, draw_layers, draw_points
from analysis.tables.select import Row, rows_where, table
from experiments.demonstrations.icl_vs_finetune.claims import CLAIMS as CLAIMS
from experiments.demonstrations.icl_vs_finetune.claims import CONTROLS as CONTROLS
from experiments.demonstrations.icl_vs_finetune.columns import Accuracy, Common, Rates, Table, Transfer
from lab.runs.directory import RunDirectory

CAPTION = (
    "Trained decoders, mean over seeds; bars are two standard errors (over seeds, or over episodes of one seed). Top: "
    "accuracy, of untrained decoders too; Rec2FTP, the share of queries that are right in context among those that are "
    "wrong zero-shot and right after fine-tuning, beside its nulls; SimAOU against the accuracy that fine-tuning "
    "reached, one point per rate; cosine of the updates of the answer, in context and by fine-tuning. Bottom, by "
    "layer: similarity of the updates of attention's output, as they are and centred, with fine-tuning on other "
    "examples and on shuffled labels; of attention maps (hollow: 1 by construction, as the first layer's queries do "
    "not see the context); and of the orders in which examples are attended to."
)
LINES = ("fine_tuned", "other", "shuffled", "zero_shot")  # arms of trained decoders
REC2FTP = {"fine_tuned": "Rec2FTP", "per_episode": "in context,\nper episode", "overall": "in context,\noverall",
           "other": "tuned on\nother", "shuffled": "on shuffled\nlabels"}  # fmt: skip
LOGITS = {"fine_tuned": "tuned on\nthe same", "other": "on other", "shuffled": "on shuffled\nlabels"}
MODELS = {"trained": "#0072B2", "untrained": "#999999"}
SCHEDULES = {"one_epoch": "o", "full_batch": "s"}
NAMES = {"one_epoch": "one epoch", "full_batch": "full batch"}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(2, 4, width=15, height=7)
    accuracy, transfer, rates = (table(directory, name) for name in (Table.ACCURACY, Table.TRANSFER, Table.RATES))
    for model, color in MODELS.items():
        _accuracies(axes[0, 0], rows_where(accuracy, {Common.MODEL: model}), color=color, label=model)
    trained = rows_where(transfer, {Common.MODEL: "trained"})
    _by_arm(axes[0, 1], rows_where(trained, {Transfer.MEASURE: "rec2ftp"}), REC2FTP, "share right in context")
    _by_accuracy(axes[0, 2], rows_where(rates, {Common.MODEL: "trained"}))
    _by_arm(axes[0, 3], rows_where(trained, {Transfer.MEASURE: "logits"}), LOGITS, "cosine of the answers' updates")
    for panel, (measure, title) in zip(axes[1], MEASURES.items(), strict=True):
        _by_layer(panel, transfer, measure)
        panel.set_title(f"{title}, one epoch")
    style.legend(*axes.flat)
    return figure


def _number(column: str):
    """Return the function from rows to the mean of a column, and two standard errors."""
    return functools.partial(
        mean_over_seeds, column=column, error=Transfer.STDERR if column == Transfer.VALUE else f"{column}.stderr"
    )


def _accuracies(panel: Axes, rows: list[Row], **options) -> None:
    names = [("zero_shot", "one_epoch"), ("fine_tuned", "one_epoch"), ("fine_tuned", "full_batch"),
             ("in_context", "one_epoch")]  # fmt: skip
    at_each = [rows_where(rows, {Accuracy.LEARNER: name, Common.SCHEDULE: schedule}) for name, schedule in names]
    draw_points(panel, range(len(names)), at_each, _number(Accuracy.ACCURACY), fmt="o", **options)
    labels = ["zero-\nshot", "fine-tuned,\none epoch", "fine-tuned,\nfull batch", "in\ncontext"]
    panel.set_xticks(range(len(names)), labels, fontsize="small")
    panel.set(ylabel="accuracy")
    panel.margins(x=0.15)


def _by_arm(panel: Axes, rows: list[Row], arms: dict[str, str], label: str) -> None:
    for shift, (schedule, marker) in zip((-0.08, 0.08), SCHEDULES.items(), strict=True):
        of_schedule = rows_where(rows, {Common.SCHEDULE: schedule})
        mfc = "white" if shift > 0 else None
        draw_arms(
            panel, of_schedule, arms, _number(Transfer.VALUE), shift, fmt=marker, color="#444444", mfc=mfc,
            label=NAMES[schedule],
        )  # fmt: skip
    panel.set(ylabel=label)


def _by_accuracy(panel: Axes, rows: list[Row]) -> None:
    for schedule, marker in SCHEDULES.items():
        of_schedule = rows_where(rows, {Common.SCHEDULE: schedule})
        pairs = ((row[Rates.ACCURACY], row[Rates.SIM_AOU]) for row in of_schedule)
        points = [(accuracy, similarity) for accuracy, similarity in pairs if isinstance(similarity, float)]
        mfc = "white" if schedule == "full_batch" else None
        panel.plot(*zip(*points, strict=True), marker, color="#444444", mfc=mfc, markersize=4, label=NAMES[schedule])
    panel.set(xlabel="accuracy after fine-tuning", ylabel="SimAOU, mean over layers")


def _by_layer(panel: Axes, transfer: list[Row], measure: str) -> None:
    rows = rows_where(transfer, {Transfer.MEASURE: measure, Common.SCHEDULE: "one_epoch"})
    by_model = {model: rows_where(rows, {Common.MODEL: model}) for model in MODELS}
    lines = {arm: [row for row in by_model["trained"] if row[Transfer.ARM] == arm] for arm in LINES}
    if measure != "sim_am":
        lines["untrained"] = rows_where(by_model["untrained"], {Transfer.ARM: "fine_tuned"})
    draw_layers(panel, measure, {arm: each for arm, each in lines.items() if each}, _number(Transfer.VALUE))
