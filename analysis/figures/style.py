"""How the lab's figures look: learners as in `lab.learners.roles`, colours that colour-blind readers tell apart."""

import contextlib
from collections.abc import Iterator, Mapping

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from analysis.tables.select import Row, column, table
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory


class _Drawn(Mapping):
    """{identifier: (label, colour, line)} of the learners that figures of all learners show, as the table is now: a
    file of the user's own may add rows after this module has been imported."""

    def __getitem__(self, identifier: str) -> tuple[str, str, str]:
        role = ROLES[identifier]
        if not role.drawn:
            raise KeyError(identifier)
        return role.label, role.colour, role.line

    def __iter__(self) -> Iterator[str]:
        return (role.identifier for role in ROLES.values() if role.drawn)

    def __len__(self) -> int:
        return sum(role.drawn for role in ROLES.values())


LEARNERS = _Drawn()
METRICS = {
    "sensitivity_cosine": ("cosine of sensitivities", "#D55E00", "-"),
    "sensitivity_l2": ("sensitivity difference (L2)", "#CC79A7", "--"),
    "prediction_l2": ("prediction difference (L2)", "#56B4E9", "-."),
}


def paper():
    """A context in which figures have the lab's style."""
    return matplotlib.rc_context(
        {
            "figure.dpi": 160,
            "font.size": 9,
            "axes.spines.top": False,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "lines.linewidth": 1.6,
            "legend.frameon": False,
            "svg.hashsalt": "lab",
        }
    )


@contextlib.contextmanager
def closed():
    """Figures that are open at its end are closed, also where drawing stopped half-way."""
    try:
        yield
    finally:
        plt.close("all")


def save(figure: Figure, directory: RunDirectory, name: str) -> None:
    """PNG and PDF without dates, so that the same tables give the same bytes."""
    folder = directory.path / "figures"
    folder.mkdir(exist_ok=True)
    for suffix in ("png", "pdf"):
        directory.note(f"figures/{name}.{suffix}")
    figure.savefig(folder / f"{name}.png", metadata={"Software": None})
    figure.set_layout_engine("none")  # the panels are arranged; nor need they be drawn for that, as `savefig` would
    undated = {"CreationDate": None, "Producer": None, "Creator": None}
    FigureCanvasPdf(figure).print_pdf(folder / f"{name}.pdf", metadata=undated)


def band(axes: Axes, rows: list[Row], metric: str, label: str, color: str, line: str) -> None:
    """The mean over seeds against the step, with a band of one standard deviation over the seeds."""
    metric = column(rows, metric)
    steps = sorted({row["step"] for row in rows})
    values_SxP = np.array([[row[metric] for row in rows if row["step"] == step] for step in steps])
    mean = values_SxP.mean(axis=1)
    axes.plot(steps, mean, line, color=color, label=label)
    if values_SxP.shape[1] > 1:
        spread = values_SxP.std(axis=1, ddof=1)
        axes.fill_between(steps, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)


def line(axes: Axes, learner: str, x, means, spreads, **options) -> None:
    """A learner's means with bars of one standard deviation over the seeds (NaN or 0 where there is one seed)."""
    label, color, dashes = LEARNERS[learner]
    options = {"color": color, "label": label, "linestyle": dashes, "capsize": 2} | options
    axes.errorbar(x, means, np.nan_to_num(np.asarray(spreads, float)), **options)


def log(axes: Axes) -> None:
    """A logarithmic axis of losses whose ticks are plain numbers. To be called when everything is drawn."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)) if high > 3 * low else MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def losses(axes: Axes, directory: RunDirectory) -> None:
    """Panel: the loss of every learner against the training step, and the oracle's."""
    rows = table(directory, "curves")
    for name, (label, color, line) in LEARNERS.items():
        if f"loss.{name}" in rows[0]:
            band(axes, rows, f"loss.{name}", label, color, line)
    if oracle := directory.read_summary().get("oracle"):
        axes.axhline(oracle["loss"], color="#999999", linewidth=0.8, label="best single step, in theory")
    shown = ("gradient_descent", "transformer")
    axes.set_ylim(0, 1.1 * max(row[f"loss.{name}"] for row in rows for name in shown))
    axes.set(xlabel="training step", ylabel="loss, 1/2 squared error")


def alignment(axes: Axes, directory: RunDirectory, other: str = "gradient_descent") -> Axes:
    """Panel: the three alignment metrics with another learner against the training step; the cosine on the right."""
    rows, right = table(directory, "curves"), _cosine_side(axes)
    for name, (label, color, line) in METRICS.items():
        side = right if name == "sensitivity_cosine" else axes
        band(side, rows, f"{other}.{name}", label, color, line)
    axes.set(xlabel="training step", ylabel="L2 difference")
    axes.set_ylim(bottom=0)
    right.set_ylim(top=1.02)
    return right


def final_alignment(axes: Axes, rows: list[Row], x, other: str = "gradient_descent") -> Axes:
    """Panel: the three alignment metrics of rows of points.csv; the cosine on the right."""
    right = _cosine_side(axes)
    for name, (label, color, line) in METRICS.items():
        side = right if name == "sensitivity_cosine" else axes
        means = [row[f"{other}.{name}"] for row in rows]
        spreads = np.nan_to_num([row.get(f"{other}.{name}.spread", 0.0) for row in rows])
        side.errorbar(x, means, spreads, fmt=line, marker="o", markersize=3, color=color, label=label, capsize=2)
    axes.set_ylabel(f"L2 difference from\n{LEARNERS[other][0]}")
    axes.set_ylim(bottom=0)
    right.set_ylim(top=1.02)
    return right


def _cosine_side(axes: Axes) -> Axes:
    """A second axis for the cosine, on the right."""
    right = axes.twinx()
    right.grid(False)
    right.set_ylabel("cosine")
    right.spines["right"].set_visible(True)
    return right


def layers(axes: Axes, directory: RunDirectory) -> None:
    """Panel: the loss of each learner's read-out against the layer or step; bars of two standard errors."""
    rows = table(directory, "layers")
    for name, (label, color, line) in LEARNERS.items():
        readouts = [row for row in rows if row["learner"] == name]
        if readouts:
            x, mean, error = ([row[key] for row in readouts] for key in ("layer", "mean", "stderr"))
            axes.errorbar(x, mean, 2 * np.array(error), fmt=line, marker="o", color=color, label=label, capsize=2)
    axes.set(xlabel="layer, or step of gradient descent", ylabel="loss of the read-out", yscale="log")
    axes.set_xticks(sorted({row["layer"] for row in rows}))


def legend(axes: Axes, *others: Axes) -> None:
    """One legend below the figure for the lines of several axes, each label once, in as many columns as fit."""
    handles = {}
    for panel in (axes, *others):
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if not handles:
        return
    inches = 0.6 + 0.075 * max(map(len, handles))  # of a column: the line, and letters of nine points
    columns = min(len(handles), max(1, int(axes.figure.get_figwidth() / inches)))
    axes.figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=columns)


def panels(rows: int, columns: int, width: float, height: float, **shared):
    """A figure and its axes, (rows, columns)."""
    return plt.subplots(rows, columns, figsize=(width, height), squeeze=False, layout="constrained", **shared)
