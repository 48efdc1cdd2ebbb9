"""The look of the lab's figures, and how they are saved.

Learners have the labels and colours of `lab.learners.roles`, which colour-blind readers can tell apart.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence

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

from analysis.figures import legends, svg, titles
from analysis.figures.finding import headed
from analysis.figures.grids import COLUMN as COLUMN
from analysis.figures.grids import designed, is_folded
from analysis.figures.grids import panels as panels
from analysis.figures.legends import legend as legend
from analysis.figures.legends import name_at_ends as name_at_ends
from analysis.figures.narrow import LARGE, NARROW, is_narrow, is_paper, narrow
from analysis.figures.titles import one_scale as one_scale
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves
from analysis.tables.select import Row, column, group_by
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

REFERENCES = ("gradient_descent", "learned_descent")
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")  # of lines that are no learners
LAYERS = ("#882255", "#332288", "#44AA99", "#999933", "#AA4499")
UNDATED = {"CreationDate": None, "Producer": None, "Creator": None}
WIDE = {"linewidth": 5, "alpha": 0.45, "solid_capstyle": "butt"}


def __getattr__(name: str) -> dict[str, tuple[str, str, str]]:
    """Return LEARNERS, {identifier: (label, colour, line)} of the learners that figures of all learners show. It is
    made each time, as a user's file may add learners after this module has been imported.
    """
    if name != "LEARNERS":
        raise AttributeError(name)
    return {role.identifier: (role.label, role.colour, role.line) for role in ROLES.values() if role.in_figures}


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
                "pdf.fonttype": 42,  # fonts as they are, which publishers ask for
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


def draw_as(name: str, figure: Callable[[RunDirectory], Figure], directory: RunDirectory, finding: str = "") -> None:
    """Draw a figure into `figures/NAME.png`, `.svg` and `.pdf`, and for narrow screens into `figures/NAME_narrow.svg`
    and, if that is large, `figures/NAME_narrow.png`.

    For narrow screens the panels stand below one another.

    Args:
        figure: a function that draws from a directory's tables.
        finding: what is written above it; "": nothing.
    """
    with paper(), closed():
        save(headed(figure(directory), finding), directory, name)
        with narrow():
            save(headed(figure(directory), finding), directory, f"{name}{NARROW}", ("svg", "png"))


def save(figure: Figure, directory: RunDirectory, name: str, forms: Sequence[str] = ("svg", "png", "pdf")) -> None:
    """Save without dates, so that the same tables give the same bytes.

    A figure for narrow screens is for pages alone: as PNG only if these take no such SVG.
    """
    arrange(figure)
    (directory.path / "figures").mkdir(exist_ok=True)
    is_large = not is_narrow()
    for form in forms:
        if form == "svg":
            text = svg.markup(figure)
            is_large |= len(text) > LARGE
            with directory.whole(f"figures/{name}.svg") as path:
                path.write_text(text, encoding="utf-8")
        elif form == "pdf":
            with directory.whole(f"figures/{name}.pdf") as path:
                FigureCanvasPdf(figure).print_pdf(path, metadata=UNDATED)
        elif is_large:
            with directory.whole(f"figures/{name}.png") as path:
                FigureCanvasAgg(figure).print_png(path, metadata={"Software": None})


def arrange(figure: Figure) -> None:
    """Complete titles, scales and labels, and give the panels the places at which they stay."""
    grid = designed(figure)
    if grid is not None and (is_narrow() or is_folded(figure)):
        titles.name_panels(grid)
    if grid is not None and not is_narrow():
        titles.share_rows(grid)
        titles.name_untitled(grid)
    legends.make_room(figure)
    legends.label_ends(figure, not (is_narrow() or is_paper()))
    titles.wrap_titles(figure)
    if (layout := figure.get_layout_engine()) is not None:
        layout.execute(figure)
        if any([titles.rewrap_titles(figure), legends.put_below(figure)]):
            layout.execute(figure)
    figure.set_layout_engine("none")  # the panels are arranged; `savefig` would draw everything once more for that


def band(
    axes: Axes, rows: list[Row], metric: str, label: str, color: str, line: str, axis: str = Curves.STEP,
    least: float | None = None, **options
) -> None:  # fmt: skip
    """Draw the mean over seeds against the step, with a band of one standard deviation over the seeds.

    Args:
        axis: another column than the step.
        least: where the band ends below at the least, as a share of the mean; on a logarithmic axis a band that reaches
            zero has no end.
    """
    metric, by_step = column(rows, metric), group_by(rows, axis)
    values_SxP = np.array([[row[metric] for row in group] for group in by_step.values()])
    mean = values_SxP.mean(axis=1)
    axes.plot([*by_step], mean, line, color=color, label=label, **options)
    if values_SxP.shape[1] > 1:
        spread = values_SxP.std(axis=1, ddof=1)
        low = mean - spread if least is None else np.maximum(mean - spread, least * mean)
        axes.fill_between([*by_step], low, mean + spread, color=color, alpha=0.2, linewidth=0)


def line(axes: Axes, learner: str, x, means, spreads, **options) -> None:
    """Draw a learner's means with bars of one standard deviation over the seeds (NaN or 0 for one seed)."""
    role = ROLES[learner]
    options = {"color": role.colour, "label": role.label, "linestyle": role.line, "capsize": 2} | options
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


def limit(axes: Axes, metric: str) -> None:
    """Set the limits of the axis of a measure of alignment. Call it when everything is drawn.

    Differences begin at 0. Cosines end at 1, with a little room above, so that a line at 1 is seen.
    """
    if metric == Metric.COSINE:
        low = min(axes.get_ylim()[0], 0.999)
        axes.set_ylim(low, 1 + 0.03 * (1 - low))
    else:
        axes.set_ylim(bottom=0)
