"""The training time until a decoder of clicks has converged, from trainings of several lengths, and judges of it."""

import statistics

from analysis.figures.claim import Control
from analysis.figures.estimates import Estimate, combine
from analysis.figures.evidence import Condition, below
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, Row, rows_where, table
from experiments.clicks.dti.drawing.along import seconds_per_step
from experiments.clicks.dti.drawing.controls import HALF, use_history
from experiments.clicks.dti.drawing.measures import BEST, LABELS, metric, relative
from experiments.clicks.dti.drawing.remedies import Judge
from experiments.clicks.tables import Spent
from lab.runs.directory import RunDirectory

STEPS = "train.steps"
CONVERGED = 0.005  # the share of the best AUC that a converged model may lack; 2.5 times the largest loss of table 1


def trainings_of(directory: RunDirectory, part: str) -> list[tuple[Estimate, float]]:
    """Return what the trainings of a part lack and what they took, shortest first.

    Returns:
        Of each training: 1 - AUC on sliding windows / that of the Bayes-optimal answer from a window, by seed, and the
        seconds of the processor that the training of one model took.

    Raises:
        NotMeasured: the parts were trained on several devices, or this one was not trained.
    """
    clicks = rows_where(table(directory, Table.CLICKS), {"part": part})
    trainings = []
    for row in sorted(_spent(directory, part), key=lambda row: row.number(STEPS)):
        rows = rows_where(clicks, {STEPS: row.number(STEPS)})
        share = relative(metric(rows), metric(rows, answers=BEST))
        trainings.append((combine(lambda each: -each, share), row.number(STEPS) * seconds_per_step(row)))
    return trainings


def seconds_until_converged(directory: RunDirectory, part: str) -> Estimate:
    """Return the seconds of the processor after which the training of one model lacks `CONVERGED`, by seed.

    They are between those of the first training that lacks less and of the one before, on a line of what is lacking
    against the logarithm of the time. A second error, which all seeds share, is that of the time of a step.

    Raises:
        NotMeasured: a seed lacks less in the shortest training already, or in none; or as `trainings_of`.
    """
    trainings, seconds = trainings_of(directory, part), {}
    for seed in sorted(set.intersection(*(set(lacks.by_seed) for lacks, _ in trainings))):
        lacking = [lacks.by_seed[seed] for lacks, _ in trainings]
        first = next((place for place, each in enumerate(lacking) if each <= CONVERGED), None)
        if not first:
            which = "no" if first is None else "the shortest"
            raise NotMeasured(f"{LABELS[part]}, seed {seed:g}: converged in {which} training")
        (_, shorter), (_, longer) = trainings[first - 1 : first + 1]
        share = (lacking[first - 1] - CONVERGED) / (lacking[first - 1] - lacking[first])
        seconds[seed] = shorter * (longer / shorter) ** share
    steps = [seconds_per_step(row) for row in _spent(directory, part)]
    error = statistics.stdev(steps) / len(steps) ** 0.5 / statistics.mean(steps)
    return Estimate(seconds, common=error * statistics.mean(seconds.values()))


def ratio_of_times(directory: RunDirectory, part: str, other: str) -> Estimate:
    """Return the seconds until a part has converged over those of another.

    Raises:
        NotMeasured: as `seconds_until_converged`.
    """
    return seconds_until_converged(directory, part) / seconds_until_converged(directory, other)


def takes_less(part: str, other: str) -> Judge:
    """Return a judge of whether a part has converged in less time of the processor than another."""

    def judge(directory: RunDirectory) -> list[Condition]:
        ratio = ratio_of_times(directory, part, other)
        return [below(f"seconds until convergence, {LABELS[part]} / {LABELS[other]}", ratio, 1.0)]

    return judge


def of_longest(*parts: str) -> tuple[Control, ...]:
    """Return the control that in the longest training of each part decoders use half of what a window tells."""

    def judge(directory: RunDirectory) -> list[Condition]:
        conditions = []
        for part in parts:
            longest = max(row.number(STEPS) for row in _spent(directory, part))
            conditions += use_history(HALF, part, **{STEPS: longest}).judge(directory)
        return conditions

    return (Control(use_history(HALF, *parts).name, judge),)


def _spent(directory: RunDirectory, part: str) -> list[Row]:
    """Return the rows of spent.csv of a part."""
    rows = table(directory, Table.SPENT)
    devices = {row.text(Spent.DEVICE) for row in rows}
    if len(devices) > 1:
        raise NotMeasured(f"trained on several devices: {', '.join(sorted(devices))}")
    of_part = rows_where(rows, {"part": part})
    if not of_part:
        raise NotMeasured(f"{part}: not trained")
    return of_part
