"""The look of the lab's figures, and how they are saved.

Learners have the labels and colours of `lab.learners.roles`, which colour-blind readers can tell apart.
"""

import contextlib
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping

import matplotlib

if not os.environ.get("MPLBACKEND", "").startswith("module://"):  # a notebook's, which shows figures below a cell
    matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from analysis.figures import ends, svg, titles
from analysis.figures.narrow import LARGE, NARROW, is_narrow, narrow
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves
from analysis.tables.select import Row, column
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory


class _Drawn(Mapping):
    """A view {identifier: (label, colour, line)} of the learners that are shown by figures of all learners.

    It reads the table of roles each time, as a user's file may add learners after this module has been imported.
    """

    def __getitem__(self, identifier: str) -> tuple[str, str, str]:
        role = ROLES[identifier]
        if not role.in_figures:
            raise KeyError(identifier)
        return role.label, role.colour, role.line

    def __iter__(self) -> Iterator[str]:
        return (role.identifier for role in ROLES.values() if role.in_figures)

    def __len__(self) -> int:
        return sum(role.in_figures for role in ROLES.values())


LEARNERS = _Drawn()
REFERENCES = ("gradient_descent", "learned_descent")
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")  # of lines that are no learners
LAYERS = ("#882255", "#332288", "#44AA99", "#999933", "#AA4499")
WIDE = {"linewidth": 5, "alpha": 0.45, "solid_capstyle": "butt"}
WIDTHS = (9.0, 13.0)  # inches of a figure
NARROW_WIDTH = 3.9
_GRIDS: weakref.WeakKeyDictionary[Figure, np.ndarray] = weakref.WeakKeyDictionary()  # panels as they were designed


@contextlib.contextmanager
def paper() -> Iterator[None]:
    """Return a context in which figures have the lab's style, whatever a user's own matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(
            {
                "figure.dpi": 160,
                "font.size": 9,
                "font.sans-serif": ["DejaVu Sans"],
                "axes.spines.top": False,
                "axes.grid": True,
                "grid.alpha": 0.25,
                "lines.linewidth": 1.6,
                "legend.frameon": False,
                "svg.hashsalt": "lab",
                "svg.fonttype": "none",
            }
        )
        yield


@contextlib.contextmanager
def closed():
    """Return a context at whose end all open figures are closed, also if drawing has failed."""
    try:
        yield
    finally:
        plt.close("all")


def draw_as(name: str, figure: Callable[[RunDirectory], Figure], directory: RunDirectory) -> None:
    """Draw a figure into `figures/NAME.png`, `.svg` and `.pdf`, and for narrow screens into `figures/NAME_narrow.svg`
    and, if that is large, `figures/NAME_narrow.png`.

    For narrow screens the panels stand below one another.

    Args:
        figure: a function that draws from a directory's tables.
    """
    with paper(), closed():
        save(figure(directory), directory, name)
        with narrow():
            save_image(figure(directory), directory, f"{name}{NARROW}")


def save(figure: Figure, directory: RunDirectory, name: str) -> None:
    """Save as PNG, SVG and PDF without dates, so that the same tables give the same bytes."""
    save_image(figure, directory, name)
    undated = {"CreationDate": None, "Producer": None, "Creator": None}
    with directory.whole(f"figures/{name}.pdf") as path:
        FigureCanvasPdf(figure).print_pdf(path, metadata=undated)


def save_image(figure: Figure, directory: RunDirectory, name: str) -> None:
    """Save as SVG and as PNG. A figure for narrow screens is for pages alone: as PNG only if these take no such SVG."""
    arrange(figure)
    (directory.path / "figures").mkdir(exist_ok=True)
    text = svg.markup(figure)
    with directory.whole(f"figures/{name}.svg") as path:
        path.write_text(text, encoding="utf-8")
    if is_narrow() and len(text) <= LARGE:
        return
    with directory.whole(f"figures/{name}.png") as path:
        FigureCanvasAgg(figure).print_png(path, metadata={"Software": None})


def arrange(figure: Figure) -> None:
    """Complete and wrap the titles, and give the panels the places at which they stay."""
    if is_narrow() and figure in _GRIDS:
        titles.name_panels(_GRIDS[figure])
    if not is_narrow():
        ends.label_ends(figure)
    titles.wrap_titles(figure)
    if (layout := figure.get_layout_engine()) is not None:
        layout.execute(figure)
        if titles.rewrap_titles(figure):
            layout.execute(figure)
    figure.set_layout_engine("none")  # the panels are arranged; `savefig` would draw everything once more for that


def band(axes: Axes, rows: list[Row], metric: str, label: str, color: str, line: str, **options) -> None:
    """Draw the mean over seeds against the step, with a band of one standard deviation over the seeds."""
    metric = column(rows, metric)
    steps = sorted({row[Curves.STEP] for row in rows})
    values_SxP = np.array([[row[metric] for row in rows if row[Curves.STEP] == step] for step in steps])
    mean = values_SxP.mean(axis=1)
    axes.plot(steps, mean, line, color=color, label=label, **options)
    if values_SxP.shape[1] > 1:
        spread = values_SxP.std(axis=1, ddof=1)
        axes.fill_between(steps, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)


def line(axes: Axes, learner: str, x, means, spreads, **options) -> None:
    """Draw a learner's means with bars of one standard deviation over the seeds (NaN or 0 for one seed)."""
    label, color, dashes = LEARNERS[learner]
    options = {"color": color, "label": label, "linestyle": dashes, "capsize": 2} | options
    if learner in REFERENCES:
        options |= WIDE | {"alpha": WIDE["alpha"] * options.get("alpha", 1.0), "elinewidth": 1, "markersize": 0}
    axes.errorbar(x, means, np.nan_to_num(np.asarray(spreads, float)), **options)


def log(axes: Axes) -> None:
    """Make the vertical axis logarithmic, with plain numbers as ticks. Call it when everything is drawn."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    few = LogLocator(subs=(1, 2, 5) if high < 1e3 * low else (1,))  # of many decades, 2 and 5 leave no tick at all
    axes.yaxis.set_major_locator(few if high > 3 * low else MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def shades(count: int) -> list[tuple[float, float, float, float]]:
    """Return colours of so many lines in an order, from dark to light; the lightest yellow is left out."""
    scale = matplotlib.colormaps["viridis"].resampled(count + 1)
    return [scale(place) for place in range(count)]


def one_scale(panels: Iterable[Axes]) -> None:
    """Give panels the same vertical limits. Call it when everything is drawn."""
    every = list(panels)
    low, high = zip(*(panel.get_ylim() for panel in every), strict=True)
    for panel in every:
        panel.set_ylim(min(low), max(high))


def limit(axes: Axes, metric: str) -> None:
    """Set the limits of the axis of a measure of alignment. Call it when everything is drawn.

    Differences begin at 0. Cosines end at 1, with a little room above, so that a line at 1 is seen.
    """
    if metric == Metric.COSINE:
        low = min(axes.get_ylim()[0], 0.999)
        axes.set_ylim(low, 1 + 0.03 * (1 - low))
    else:
        axes.set_ylim(bottom=0)


def legend(axes: Axes, *others: Axes) -> None:
    """Draw one legend for the lines of several axes, each label once, in as many columns as fit.

    It is below the figure, or on narrow screens above it.
    """
    handles = {}
    for panel in (axes, *others):
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure = axes.get_figure(root=True)
    if not handles or figure is None:
        return
    inches = 0.6 + 0.075 * max(map(len, handles))  # the width of a column: its line, and letters of nine points
    columns = min(len(handles), max(1, int(figure.get_figwidth() / inches)))
    place = "outside upper center" if is_narrow() else "outside lower center"
    figure.legend(handles.values(), handles.keys(), loc=place, ncols=columns)


def panels(rows: int, columns: int, width: float, height: float, **shared):
    """Return a new figure and its axes, an array of (rows, columns).

    Args:
        width: of the figure in inches. Pages show all figures at one width, so it is kept within `WIDTHS`.
        height: of the figure in inches. On narrow screens all panels stand below one another, each 2.6 to 3.2 inches
            high.
        shared: passed to `plt.subplots`, on wide screens only: sizes of panels, and which axes they share.
    """
    if not is_narrow():
        size = (min(max(width, WIDTHS[0]), WIDTHS[1]), height)
        return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **shared)
    count = rows * columns
    size = (NARROW_WIDTH, 0.4 + count * max(2.6, min(height / rows, 3.2)))
    figure, axes = plt.subplots(count, 1, figsize=size, squeeze=False, layout="constrained")
    _GRIDS[figure] = axes.reshape(rows, columns)
    return figure, _GRIDS[figure]
