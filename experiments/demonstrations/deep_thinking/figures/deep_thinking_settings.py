"""Reading the context again in several settings: what it gains in each, and how updates fade where positions go on."""

import math

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, stronger
from analysis.figures.controls import Control
from analysis.figures.labels import part_in_words
from analysis.figures.means import points
from analysis.results.declared import claim
from analysis.tables.select import Row, rows_where, table
from experiments.demonstrations.deep_thinking import results
from experiments.demonstrations.deep_thinking.results import ETA, SCORED, THEIRS, gain, relative
from lab.runs.directory import RunDirectory

CAPTION = (
    "Accuracy gained over one reading, by setting, with eta .01 and beta .9; mean over seeds, bars are two standard "
    "errors. One number of iterations chosen on other tasks; the best for each task, on the queries that choose it and "
    "on fresh ones; one whole re-reading without rate or momentum; and every example shown twice."
)
NEEDS_POINTS = True
PROTOCOLS = {  # label, colour, marker
    results.VALIDATED: ("chosen on other tasks", "#0072B2", "o"),
    results.PER_TASK: ("best for each task, same queries", "#D55E00", "s"),
    results.FRESH: ("the same, fresh queries", "#E69F00", "D"),
    results.AGAIN: ("one whole re-reading", "#009E73", "^"),
    results.TWICE: ("examples twice", "#999999", "v"),
}
MOVING = "rotary_offset"  # the part that the claim is about


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, results.PROTOCOLS)
    parts = [*dict.fromkeys(row.text("part") for row in rows)]
    figure, ((panel,),) = style.panels(1, 1, width=8, height=1.2 + 0.5 * len(parts))
    for turn, (protocol, (label, color, marker)) in enumerate(PROTOCOLS.items()):
        at_each = [gain_rows(rows_where(rows, {"part": part}), protocol) for part in parts]
        places = [place + 0.12 * (turn - (len(PROTOCOLS) - 1) / 2) for place in range(len(parts))]
        points(panel, places, at_each, gain.name, flat=True, fmt=marker, color=color, label=label)
    panel.axvline(0, color="#999999", linewidth=0.8)
    panel.set_yticks(range(len(parts)), [part_in_words(part) for part in parts])
    panel.invert_yaxis()
    panel.set(xlabel=gain.label)
    style.legend(panel)
    return figure


def gain_rows(rows: list[Row], protocol: str) -> list[Row]:
    """Return the rows of a protocol: those with rate and momentum at the source's, and with the most queries that
    choose."""
    rows = rows_where(rows, {results.PROTOCOL: protocol})
    rows = [row for row in rows if math.isnan(row.number(ETA)) or THEIRS.items() <= row.items()]
    counts = [row.number(SCORED) for row in rows]
    most = max((count for count in counts if not math.isnan(count)), default=math.nan)
    return [row for row, count in zip(rows, counts, strict=True) if count == most or math.isnan(count)]


CLAIMS = (
    claim(
        "Where positions go on at the second reading, updates fade fastest in the first layer.",
        stronger(Work.DT, "section 4.2, RQ3, figure 5", "occurring near the input layer"),
        results.fades_first_near_the_input(relative.where(part=MOVING)),
        "of decoders with rotary positions",
        controls=(
            Control(
                f"{part_in_words(MOVING)}: the decoders learn in context",
                gain.where(part=MOVING)[results.ZERO_SHOT] < 0,
            ),
        ),
    ),
)
