"""Reading the context again in several settings: what it gains in each, and how updates fade where positions go on."""

import math
from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import mean_over_seeds
from analysis.figures.words import part_in_words
from analysis.tables.select import NotMeasured, Row, group_by, numbers, rows_where, table
from experiments.demonstrations.deep_thinking.columns import Common, Norms, Protocols, Table
from experiments.demonstrations.deep_thinking.judges import FAST, THEIRS
from lab.runs.directory import RunDirectory

CAPTION = (
    "Accuracy gained over one reading, by setting, with eta .01 and beta .9; mean over seeds, bars are two standard "
    "errors. One number of iterations chosen on other tasks; the best for each task, on the queries that choose it and "
    "on fresh ones; one whole re-reading without rate or momentum; and every example shown twice."
)
NEEDS_POINTS = True
PROTOCOLS = {  # label, colour, marker
    "validated": ("chosen on other tasks", "#0072B2", "o"),
    "best_per_task": ("best for each task, same queries", "#D55E00", "s"),
    "fresh": ("the same, fresh queries", "#E69F00", "D"),
    "again": ("one whole re-reading", "#009E73", "^"),
    "twice": ("examples twice", "#999999", "v"),
}
ONE_EACH, NOISY, STILL, MOVING = "one_per_class", "noisy_labels", "rotary", "rotary_offset"  # parts


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.PROTOCOLS)
    parts = [*dict.fromkeys(row.text("part") for row in rows)]
    figure, ((panel,),) = style.panels(1, 1, width=8, height=1.2 + 0.5 * len(parts))
    for number, (protocol, (label, color, marker)) in enumerate(PROTOCOLS.items()):
        at_each = [gain_rows(rows_where(rows, {"part": part}), protocol) for part in parts]
        shift = 0.12 * (number - (len(PROTOCOLS) - 1) / 2)
        _points(panel, shift, at_each, fmt=marker, color=color, label=label)
    panel.axvline(0, color="#999999", linewidth=0.8)
    panel.set_yticks(range(len(parts)), [part_in_words(part) for part in parts])
    panel.invert_yaxis()
    panel.set(xlabel="accuracy gained")
    style.legend(panel)
    return figure


def _points(panel: Axes, shift: float, at_each: list[list[Row]], **options) -> None:
    means, errors = zip(
        *(mean_over_seeds(rows, Protocols.GAIN, f"{Protocols.GAIN}.stderr") for rows in at_each), strict=True
    )
    places = [place + shift for place in range(len(at_each))]
    panel.errorbar(means, places, xerr=errors, markersize=4, capsize=2, **options)


def gain_rows(rows: list[Row], protocol: str) -> list[Row]:
    """Return the rows of a protocol: those with rate and momentum at the source's, and with the most queries that
    choose."""
    rows = rows_where(rows, {Protocols.PROTOCOL: protocol})
    rows = [row for row in rows if math.isnan(row.number(Common.ETA)) or THEIRS.items() <= row.items()]
    counts = [row.number(Protocols.SCORED) for row in rows]
    most = max((count for count in counts if not math.isnan(count)), default=math.nan)
    return [row for row, count in zip(rows, counts, strict=True) if count == most or math.isnan(count)]


def _part(directory: RunDirectory, name: Table, part: str) -> list[Row]:
    if not (rows := rows_where(table(directory, name), {"part": part})):
        raise NotMeasured(f"there is no part {part}")
    return rows


def _gain(directory: RunDirectory, part: str, protocol: str) -> Estimate:
    return estimate(gain_rows(_part(directory, Table.PROTOCOLS, part), protocol), Protocols.GAIN)


def gains(part: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether reading again gains accuracy in a setting, with iterations chosen on other tasks."""
    return lambda directory: [above("gain in accuracy", _gain(directory, part, "validated"))]


def learned(part: str) -> Control:
    """Return the control that decoders of a setting learn in context."""

    def judge(directory: RunDirectory) -> list[Condition]:
        return [below("accuracy zero-shot - in context", _gain(directory, part, "zero_shot"))]

    return Control(f"{part_in_words(part)}: the decoders learn in context", judge)


def fades_first_at_the_input(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for pair in (FAST, THEIRS):
        rows = rows_where(_part(directory, Table.NORMS, MOVING), pair)
        half = (2 + max(numbers(rows, Common.ITERATIONS))) // 2
        layers = group_by(rows_where(rows, {Common.ITERATIONS: half}), Norms.LAYER)
        first, *others = (estimate(layers[layer], Norms.RELATIVE) for layer in sorted(layers))
        for layer, other in zip(sorted(layers)[1:], others, strict=True):
            name = f"eta {pair[Common.ETA]:g}: relative norm half-way, layer 1 - layer {layer:g}"
            conditions.append(below(name, first - other))
    return conditions


CLAIMS = (
    Claim(
        statement="With one demonstration of each class reading the context again improves on in-context learning.",
        source=stronger(Work.DT, "section 4.1, implementation, and 4.2, RQ1", "number of demonstrations per class"),
        criterion="accuracy gained at eta = .01, beta = .9, with one number of iterations for all tasks, chosen on "
        "other tasks",
        judge=gains(ONE_EACH),
        controls=(learned(ONE_EACH),),
    ),
    Claim(
        statement="Where labels are noisier than in training, reading the context again improves on one reading.",
        source=own("derived here from Deep-Thinking, RQ1"),
        criterion="the same accuracy, with two in five labels of the demonstrations drawn at random",
        judge=gains(NOISY),
        controls=(learned(NOISY),),
    ),
    Claim(
        statement="Where positions go on at the second reading, updates fade fastest in the first layer.",
        source=stronger(Work.DT, "section 4.2, RQ3, figure 5", "occurring near the input layer"),
        criterion="norm of the update of keys and values relative to the first, half-way, at eta = .1 and .01, of "
        "decoders with rotary positions: in the first layer lower than in every layer above",
        judge=fades_first_at_the_input,
        controls=(learned(MOVING),),
    ),
)
