"""The results of `speed`: rates, shares of what the device does at most, and how time grows with the context."""

import collections

import numpy as np

from analysis.figures.cited import own
from analysis.figures.estimates import combine, exact
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.results.timing import PROGRAM, ROUND, STEPS, milliseconds, share_of_bytes, share_of_flops
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, Row, finished, numbers, sort_by, table
from lab.runs.directory import RunDirectory

TRAINING, RANDOM, PLAIN = "training", "random", "plain"  # the programs
episodes = Column(STEPS, "episodes", "episodes", "Episodes of a step of all models.", PROGRAM, repeat=ROUND)
CONTEXT, LONG = "task.num_context", 100  # examples; the slope is taken from this number on
AXES = {  # settings, columns of points.csv: label
    "model.num_layers": "layers",
    "train.batch_size": "episodes in a batch",
    CONTEXT: "examples in the context",
    "task.input_dim": "width of an input",
    "seeds": "models trained together",
}


def _rate(directory: RunDirectory) -> Numbers:
    time, count = (each[TRAINING].numbers(directory)[""] for each in (milliseconds, episodes))
    return {"": combine(lambda time, count: 1e3 * count / time, time, count)}


rate = Headline("episodes_per_second", "episodes per second", "Training episodes of all models per second.",
                Quantity("episodes per second", "", _rate))  # fmt: skip
SHARES = tuple(
    Headline(f"share_of_{name}", f"share of {label}", sentence, quantity)
    for name, label, sentence, quantity in (
        ("flops", "operations", share_of_flops.sentence, share_of_flops[TRAINING]),
        ("bytes", "memory traffic", share_of_bytes.sentence, share_of_bytes[TRAINING]),
        ("random", "random numbers", "Share of the time that drawing the random numbers alone takes.",
         milliseconds[RANDOM] / milliseconds[TRAINING]),
    )
)  # fmt: skip
speed_up = Headline("speed_up", "speed-up", "How many times as fast as a plain forward pass that forms all scores.",
                    milliseconds[PLAIN] / milliseconds[TRAINING])  # fmt: skip

HEADLINES = (rate, *SHARES, speed_up, milliseconds)
ANSWER = (
    "training takes {episodes_per_second} episodes per second",
    "it is at {share_of_flops} of what the fastest product of matrices would allow, at {share_of_bytes} of the highest "
    "memory traffic, and at {share_of_random} of the rate of its random numbers alone",
    "it is {speed_up} times as fast as a plain forward pass",
)


def along(directory: RunDirectory) -> dict[str, list[Row]]:
    """Return {setting: the centre and the points that differ from it in this setting alone}, sorted by the setting.

    The centre of all points is the most frequent value of each setting. Settings with one point are left out.
    """
    rows = finished(table(directory, Table.POINTS))
    axes = [axis for axis in AXES if axis in rows[0]]
    centre = {axis: collections.Counter(row[axis] for row in rows).most_common(1)[0][0] for axis in axes}
    groups = {
        axis: {row[axis]: row for row in rows if all(row[each] == centre[each] for each in axes if each != axis)}
        for axis in axes
    }
    return {axis: sort_by([*group.values()], axis) for axis, group in groups.items() if len(group) > 1}


def _slope(directory: RunDirectory) -> Numbers:
    """Fit log(seconds per episode) by least squares; per episode, since long contexts come in smaller batches."""
    rows = [row for row in along(directory).get(CONTEXT, []) if row.number(CONTEXT) >= LONG]
    if len(rows) < 2:
        raise NotMeasured(f"fewer than two contexts of at least {LONG} examples")
    context, speed = (np.log(numbers(rows, key)) for key in (CONTEXT, rate.name))
    return {"": exact(float(np.polyfit(context, -speed, 1)[0]))}


CLAIMS = (
    claim(
        "An episode's seconds grow no faster than its context's length.",
        own("derived here from the count of operations of linear attention"),
        Quantity(f"slope of log seconds per episode against log length beyond {LONG} examples", "", _slope) < 1.1,
    ),
)
