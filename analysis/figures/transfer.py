"""Panels and judges of kinds that compare learning in context with fine-tuning, of models or sets of examples [DAI].

A judge reads the rows of transfer.csv that have the values `where`, one per seed. Where fine-tuning puts nothing right
there is no Rec2FTP, and where it diverged no measure at all; such seeds are left out.
"""

import math
from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes

from analysis.figures.estimates import Estimate, estimate, mean
from analysis.figures.evidence import Condition, above
from analysis.tables.select import NotMeasured, Row, group_by, rows_where, table
from analysis.tables.transfer import TRANSFER, Transfer
from lab.runs.directory import RunDirectory

MOST = 0.5  # of what fine-tuning puts right
RISE = 0.01  # of SimAM, whose scale is 1
STYLES = {  # label, colour, line
    "fine_tuned": ("fine-tuned on the examples", "#0072B2", "-"),
    "other": ("on other examples", "#D55E00", "--"),
    "shuffled": ("on shuffled labels", "#AA4499", ":"),
    "zero_shot": ("zero-shot", "#E69F00", "--"),
    "random": ("random directions", "#999999", "-."),
}
MEASURES = {  # titles of panels
    "sim_aou": "SimAOU",
    "sim_aou_centred": "SimAOU, centred",
    "sim_am": "SimAM with in-context learning",
    "kendall": "Kendall's tau",
}
Where = Mapping[str, str]
Judge = Callable[[RunDirectory], list[Condition]]
Number = Callable[[list[Row]], tuple[float, float]]  # rows of several seeds -> mean, and two standard errors


def measured(directory: RunDirectory, where: Where, measure: str, arm: str) -> list[Row]:
    """Return the rows of one measure and arm that have a value.

    Raises:
        NotMeasured: there is none.
    """
    rows = rows_where(table(directory, TRANSFER), {**where, Transfer.MEASURE: measure, Transfer.ARM: arm})
    rows = [row for row in rows if math.isfinite(row.number(Transfer.VALUE))]
    if not rows:
        raise NotMeasured(f"{measure} of {arm} has no value")
    return rows


def value(directory: RunDirectory, where: Where, measure: str, arm: str) -> Estimate:
    """Return a measure that is of no single layer."""
    return estimate(measured(directory, where, measure, arm), Transfer.VALUE)


def by_layer(directory: RunDirectory, where: Where, measure: str, arm: str) -> dict[float, Estimate]:
    """Return {layer: a measure in it}; a row of no single layer raises NotMeasured."""
    groups = group_by(measured(directory, where, measure, arm), Transfer.LAYER)
    return {rows[0].number(Transfer.LAYER): estimate(rows, Transfer.VALUE) for rows in groups.values()}


def covers(where: Where) -> Judge:
    """Return a judge of whether learning in context gets right most of what fine-tuning puts right."""
    return lambda directory: [above("Rec2FTP", value(directory, where, "rec2ftp", "fine_tuned"), MOST)]


def lifted(where: Where, names: Mapping[str, str]) -> Judge:
    """Return a judge of whether Rec2FTP is above its nulls.

    Args:
        names: {arm of the measure `lift`: what the difference is called}.
    """
    return lambda directory: [above(name, value(directory, where, "lift", arm)) for arm, name in names.items()]


def in_every_layer(where: Where, measure: str, arm: str, name: str = "") -> Judge:
    """Return a judge of whether a measure is above 0 in every layer.

    Args:
        name: what it is called behind the layer's number.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        layers = by_layer(directory, where, measure, arm)
        return [above(f"layer {layer:g}{name}", number) for layer, number in layers.items()]

    return judge


def over_layers(where: Where, measure: str, arm: str, name: str) -> Judge:
    """Return a judge of whether the mean of a measure over the layers is above 0, called `name`."""
    return lambda directory: [above(name, mean([*by_layer(directory, where, measure, arm).values()]))]


def attention_rises(where: Where) -> Judge:
    """Return a judge of whether attention maps are more like those of the fine-tuned than of the zero-shot model.

    The first layer is left out: its inputs do not see the context, so that its map is the zero-shot one, but for
    positions.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        layers = [number for layer, number in by_layer(directory, where, "sim_am", "rise").items() if layer > 1]
        if not layers:
            raise NotMeasured("there is no layer above the first")
        return [above("rise, mean over the layers above the first", mean(layers), RISE)]

    return judge


def draw_points(panel: Axes, places: Sequence[float], rows_at: list[list[Row]], number: Number, **options) -> None:
    """Draw a number with its bar at each place, from the rows of all seeds there."""
    means, errors = zip(*(number(rows) for rows in rows_at), strict=True)
    panel.errorbar(places, means, errors, markersize=4, capsize=2, **options)


def draw_arms(panel: Axes, rows: list[Row], arms: Mapping[str, str], number: Number, shift: float, **options) -> None:
    """Draw a measure by arm, beside one another, from rows of transfer.csv.

    Args:
        arms: {arm: its label}. shift: of the points, in units of their distance.
    """
    rows_at = [rows_where(rows, {Transfer.ARM: arm}) for arm in arms]
    draw_points(panel, [place + shift for place in range(len(arms))], rows_at, number, **options)
    rotation, size = (40, "x-small") if len(arms) > 3 else (0, "small")
    panel.set_xticks(range(len(arms)), arms.values(), rotation=rotation, fontsize=size)


def draw_layers(panel: Axes, measure: str, lines: Mapping[str, list[Row]], number: Number, marked: bool = True) -> None:
    """Draw a measure by layer, one line per arm.

    Args:
        lines: {key of STYLES, or "untrained": rows of transfer.csv}.
        marked: whether the first layer's similarity to the zero-shot map, 1 by construction, is hollow.
    """
    layers = sorted({row.number(Transfer.LAYER) for rows in lines.values() for row in rows})
    for arm, rows in lines.items():
        label, color, line = STYLES.get(arm, ("untrained model", "#999999", "-."))
        rows_at = [rows_where(rows, {Transfer.LAYER: layer}) for layer in layers]
        draw_points(panel, layers, rows_at, number, fmt=f"{line}o", color=color, label=label)
        if measure == "sim_am" and arm == "zero_shot" and marked:
            panel.plot(layers[:1], [1.0], "o", mfc="white", color=color, markersize=5, zorder=5)
    if measure != "sim_am":
        panel.axhline(0, color="#999999", linewidth=0.8)
    panel.set_xticks(layers)
    panel.set(xlabel="layer", ylabel="tau" if measure.startswith("kendall") else "cosine")
