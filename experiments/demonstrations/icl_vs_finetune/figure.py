"""Learning in context against fine-tuning on the same examples [DAI]: accuracies, and measures with their nulls. The
panels of every subject."""

import math
from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import points
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.demonstrations.icl_vs_finetune import results
from experiments.demonstrations.icl_vs_finetune.results import ARM, LAYER, MEASURE, MODEL, SCHEDULE, STDERR, VALUE
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
STYLES = {  # of arms: label, colour, line
    "fine_tuned": ("fine-tuned on the examples", "#0072B2", "-"),
    "other": ("on other examples", "#D55E00", "--"),
    "shuffled": ("on shuffled labels", "#AA4499", ":"),
    "zero_shot": ("zero-shot", "#E69F00", "--"),
    "random": ("random directions", "#999999", "-."),
    "untrained": ("untrained model", "#999999", "-."),
    "layer_causal": ("layer-causal descent", "#009E73", "-"),
}
REC2FTP = {"fine_tuned": "Rec2FTP", "per_episode": "in context,\nper episode", "overall": "in context,\noverall",
           "other": "tuned on\nother", "shuffled": "on shuffled\nlabels"}  # fmt: skip
LOGITS = {"fine_tuned": "tuned on\nthe same", "other": "on other", "shuffled": "on shuffled\nlabels"}
MODELS = {"trained": "#0072B2", "untrained": "#999999"}
SCHEDULES = {"one_epoch": ("one epoch", "o", None), "full_batch": ("full batch", "s", "white")}
LEARNERS = {("zero_shot", "one_epoch"): "zero-\nshot", ("fine_tuned", "one_epoch"): "fine-\ntuned,\none\nepoch",
            ("fine_tuned", "full_batch"): "fine-\ntuned,\nfull\nbatch",
            ("in_context", "one_epoch"): "in\ncontext"}  # fmt: skip
FEW = 12  # layers that each have a tick


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(2, 4, width=15, height=7)
    accuracy, transfer, rates = (table(directory, name) for name in results.TABLES)
    for model, color in MODELS.items():
        _accuracies(axes[0, 0], rows_where(accuracy, {MODEL: model}), color=color, label=model)
    trained = rows_where(transfer, {MODEL: "trained"})
    _by_arm(axes[0, 1], rows_where(trained, {MEASURE: "rec2ftp"}), REC2FTP, "share right in context")
    _by_accuracy(axes[0, 2], rows_where(rates, {MODEL: "trained"}))
    _by_arm(axes[0, 3], rows_where(trained, {MEASURE: "logits"}), LOGITS, "cosine of the answers' updates")
    for panel, (measure, title) in zip(axes[1], results.MEASURES.items(), strict=True):
        rows = rows_where(transfer, {MEASURE: measure, SCHEDULE: "one_epoch"})
        lines = lines_of([row for row in rows if row[MODEL] == "trained"])
        if measure != "sim_am":
            lines["untrained"] = rows_where(rows, {MODEL: "untrained", ARM: "fine_tuned"})
        draw_layers(panel, measure, lines, marked=True)
        panel.set_title(f"{title}, one epoch")
    style.legend(*axes.flat)
    return figure


def draw_arms(panel: Axes, rows: list[Row], arms: Mapping[str, str], shift: float = 0.0, **options) -> None:
    """Draw a measure by arm, beside one another, from rows of transfer.csv.

    Args:
        arms: {arm: its label}. shift: of the points, in units of their distance.
    """
    rows_at = [rows_where(rows, {ARM: arm}) for arm in arms]
    points(panel, [place + shift for place in range(len(arms))], rows_at, VALUE, STDERR, **options)
    rotation, size = (40, "x-small") if len(arms) > 3 else (0, "small")
    panel.set_xticks(range(len(arms)), arms.values(), rotation=rotation, fontsize=size)


def lines_of(rows: list[Row]) -> dict[str, list[Row]]:
    """Return {arm: its rows} of the arms that are drawn by layer."""
    lines = {arm: [row for row in rows if row[ARM] == arm] for arm in STYLES}
    return {arm: each for arm, each in lines.items() if each}


def draw_layers(panel: Axes, measure: str, lines: Mapping[str, list[Row]], marked: bool = False) -> None:
    """Draw a measure by layer, one line per arm.

    Args:
        lines: {key of STYLES: rows of transfer.csv}.
        marked: whether the first layer's similarity to the zero-shot map, 1 by construction, is hollow.
    """
    layers = sorted({row.number(LAYER) for rows in lines.values() for row in rows})
    for arm, rows in lines.items():
        label, color, line = STYLES[arm]
        rows_at = [rows_where(rows, {LAYER: layer}) for layer in layers]
        deep = {} if len(layers) <= FEW else {"markersize": 2, "elinewidth": 0.4}
        points(panel, layers, rows_at, VALUE, STDERR, fmt=f"{line}o", color=color, label=label, **deep)
        if measure == "sim_am" and arm == "zero_shot" and marked:
            panel.plot(layers[:1], [1.0], "o", mfc="white", color=color, markersize=5, zorder=5)
    if measure != "sim_am":
        panel.axhline(0, color="#999999", linewidth=0.8)
    if len(layers) <= FEW:
        panel.set_xticks(layers)
    panel.set(xlabel="layer", ylabel="tau" if measure.startswith("kendall") else "cosine")


def _accuracies(panel: Axes, rows: list[Row], **options) -> None:
    rows_at = [rows_where(rows, {results.LEARNER: name, SCHEDULE: schedule}) for name, schedule in LEARNERS]
    points(panel, range(len(LEARNERS)), rows_at, results.accuracy.name, **options)
    panel.set_xticks(range(len(LEARNERS)), LEARNERS.values(), fontsize="small")
    panel.set(ylabel=results.accuracy.label)
    panel.margins(x=0.15)


def _by_arm(panel: Axes, rows: list[Row], arms: dict[str, str], label: str) -> None:
    for shift, (schedule, (name, marker, fill)) in zip((-0.08, 0.08), SCHEDULES.items(), strict=True):
        of_schedule = rows_where(rows, {SCHEDULE: schedule})
        draw_arms(panel, of_schedule, arms, shift, fmt=marker, color="#444444", mfc=fill, label=name)
    panel.set(ylabel=label)


def _by_accuracy(panel: Axes, rows: list[Row]) -> None:
    columns = (results.validated.name, results.of_rate.name)
    for schedule, (name, marker, fill) in SCHEDULES.items():
        of_schedule = [row for row in rows_where(rows, {SCHEDULE: schedule})
                       if isinstance(row[columns[1]], float) and math.isfinite(row.number(columns[1]))]  # fmt: skip
        values = ([row[column] for row in of_schedule] for column in columns)
        panel.plot(*values, marker, color="#444444", mfc=fill, markersize=4, label=name)
    panel.set(xlabel="accuracy after fine-tuning", ylabel="SimAOU, mean over layers")


def chosen_rates(panel: Axes, rows: list[Row]) -> None:
    """Draw the accuracy on other queries by the rate of fine-tuning, and how many seeds chose it."""
    rates = distinct(rows, results.RATE)
    rows_at = [rows_where(rows, {results.RATE: rate}) for rate in rates]
    points(panel, rates, rows_at, results.validated.name, fmt="o-", color="#0072B2", label="accuracy there")
    shares = [sum(row.number(results.CHOSEN) for row in each) / len(each) for each in rows_at]
    panel.plot(rates, shares, ":", color="#999999", label="share of sets that chose it")
    panel.set(xscale="log", xlabel="rate of fine-tuning", ylabel="on validation rows")
