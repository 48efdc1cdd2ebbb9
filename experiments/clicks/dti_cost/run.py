"""`dti_cost`: what prompts of many targets save over sliding windows [DTI], by formulas, by operations, in time.

The programs of a size run one after the other in every round, and in every second round in reverse order, so that what
else the machine does meets all of them.
"""

import dataclasses
import statistics
import time
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from analysis.metrics.cost import interactions_gain, projections_gain, tokens_gain
from experiments.clicks.dti_cost.columns import PARTS, SLIDING, Cost, Pass, Table, Times
from experiments.clicks.dti_cost.programs import (
    Program,
    Size,
    growing,
    growth_row,
    program_of,
    ways,
)
from experiments.clicks.dti_cost.settings import DtiCost
from lab.runs import interrupt
from lab.runs.devices import device_name
from trainers.record import Record
from trainers.study import Part, Study, Tables
from trainers.timing.clock import how_many, seconds_of, turns

CLOCKS = (Times.MILLISECONDS, Times.CPU_MILLISECONDS)


def run(records: Sequence[Record[DtiCost]]) -> None:
    """Write the tables `times` and `cost`, and headline numbers.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        CostStudy(record).run()


class CostStudy(Study[DtiCost]):
    """One part per size and pass."""

    TABLES: ClassVar = tuple(Table)
    DOING: ClassVar = "dti_cost"

    def parts(self) -> Sequence[Part]:
        self.sliding: dict[tuple, Program] = {}  # sizes that differ in k have the same
        self.sizes = [Size(*each) for each in self.settings.sizes]
        sized = [Part(size.row | {Cost.PASS: which}) for size in self.sizes for which in Pass]
        first = self.sizes[0]
        grown = [dataclasses.replace(first, k=k) for k in self.settings.growth]
        return [*sized, *(Part(size.row, name=Table.GROWTH) for size in grown)]

    def measure(self, part: Part) -> Tables:
        if part.name == Table.GROWTH:
            size = Size(*part.columns.values())
            return {Table.GROWTH: [growth_row(self.settings, size, way) for way in growing(self.settings)]}
        *size, which = part.columns.values()
        programs = programs_of(self.settings, Size(*size), which, self.sliding)
        times = measure(programs, self.settings)
        return {Table.TIMES: times, Table.COST: [summary(self.settings, Size(*size), programs, times)]}

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return shares of the formula, of a training step: the smallest, and the median over sizes."""
        shares = [row[Cost.SHARE] for row in tables[Table.COST] if row[Cost.PASS] == Pass.STEP]
        return {"smallest_share": min(shares), "median_share": statistics.median(shares)}


def programs_of(settings: DtiCost, size: Size, which: Pass, store: dict[tuple, Program]) -> dict[str, Program]:
    """{way: program} of one size and pass.

    Args:
        store: sliding windows of earlier sizes; those of this one are added. Other programs are not kept: some hundred
            of them would be more than a process may map into its memory.
    """
    programs = {}
    for way in ways(settings, size):
        interrupt.check()
        key = (which, way, size.n, size.c, size.d, -(-settings.targets // size.k) * size.k)
        programs[way] = store.get(key) or program_of(settings, size, way, which)
        if way.startswith(SLIDING):
            store[key] = programs[way]
    return programs


def measure(programs: dict[str, Program], settings: DtiCost) -> list[dict]:
    """Rows of times.csv: milliseconds per target of every way in every round."""
    calls = {way: how_many(settings.seconds, program.call) for way, program in programs.items()}
    rows = []
    for turn, way in turns(programs, settings.rounds):
        program, count = programs[way], calls[way]
        begun = time.process_time()
        seconds = seconds_of(lambda program=program, count=count: [program.call() for _ in range(count)])
        busy = time.process_time() - begun
        each = 1e3 / (count * program.targets)
        times = {Times.MILLISECONDS: each * seconds, Times.CPU_MILLISECONDS: each * busy}
        rows.append({Times.ROUND: turn, Times.WAY: way, Times.DEVICE: device_name(), **times})
    return rows


def fewer_operations(reference: Program, program: Program) -> float | None:
    """Return how many times as many operations per target the reference takes; None where XLA does not count them."""
    if reference.flops is None or program.flops is None:
        return None
    return (reference.flops / reference.targets) / (program.flops / program.targets)


def summary(settings: DtiCost, size: Size, programs: dict[str, Program], times: list[dict]) -> dict:
    """A row of cost.csv: gains over sliding windows by each count."""
    wall, cpu = CLOCKS
    streaming = [way for way in programs if not way.startswith(SLIDING) and not way.endswith(PARTS)]
    by_way = {
        (way, clock): np.array([row[clock] for row in times if row[Times.WAY] == way])
        for way in programs
        for clock in CLOCKS
    }
    row: dict = {
        Cost.DEVICE: device_name(),
        Cost.FORMULA: interactions_gain(size.n, size.k),
        Cost.TOKENS: tokens_gain(size.n, size.k, size.c),
        Cost.PROJECTIONS: projections_gain(size.n, size.k, size.c, settings.model.num_layers),
    }
    reference = programs[SLIDING]
    for way in streaming:
        row[f"flops.{way}"] = fewer_operations(reference, programs[way])

    def faster(way: str, clock: Times) -> str:
        """Return whether a way is faster at once or in parts."""
        return min((way, way + PARTS), key=lambda each: np.median(by_way[each, clock]))

    base = {clock: by_way[faster(SLIDING, clock), clock] for clock in CLOCKS}
    row[Cost.SLIDING], row[Cost.SLIDING_MILLISECONDS] = faster(SLIDING, wall), float(np.median(base[wall]))
    row[Cost.AT_ONCE_OVER_PARTS] = float(np.median(by_way[SLIDING, wall] / by_way[SLIDING + PARTS, wall]))
    for way in streaming:
        gains = base[wall] / by_way[faster(way, wall), wall]
        row[f"time.{way}"] = float(np.median(gains))
        row[f"time.{way}.low"], row[f"time.{way}.high"] = (float(each) for each in np.quantile(gains, (0.25, 0.75)))
        row[f"cpu.{way}"] = float(np.median(base[cpu] / by_way[faster(way, cpu), cpu]))
    better = max(streaming, key=lambda way: row[f"time.{way}"])
    row[Cost.BETTER], row[Cost.GAIN] = faster(better, wall), row[f"time.{better}"]
    row[Cost.SHARE] = row[Cost.GAIN] / row[Cost.FORMULA]
    row[Cost.CPU_GAIN] = max(row[f"cpu.{way}"] for way in streaming)
    row[Cost.CPU_SHARE] = row[Cost.CPU_GAIN] / row[Cost.FORMULA]
    return row
