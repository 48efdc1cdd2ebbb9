"""`dti_cost`: what prompts of many targets save over sliding windows [DTI], by formulas, by operations, in time.

The programs of a size run one after the other in every round, and in every second round in reverse order, so that what
else the machine does meets all of them.
"""

import statistics
import time
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from analysis.metrics.cost import interactions_gain, projections_gain, tokens_gain
from experiments.dti_cost.programs import BOTH, FORWARD, PARTS, SLIDING, Program, Size, program_of, ways
from experiments.dti_cost.settings import DtiCost
from lab.runs import interrupt
from trainers.record import Record
from trainers.study import Part, Study, Tables
from trainers.timing.clock import how_many, seconds_of, turns

PASSES = (FORWARD, BOTH)
WALL, CPU = "milliseconds", "cpu_milliseconds"  # a target; the second is that of all threads of this process


def run(records: Sequence[Record[DtiCost]]) -> None:
    """Write the tables `times` and `cost`, and headline numbers.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        Cost(record).run()


class Cost(Study[DtiCost]):
    """One part per size and pass."""

    TABLES: ClassVar = ("times", "cost")
    DOING: ClassVar = "dti_cost"
    ADVICE: ClassVar = "lower targets or sizes"

    def parts(self) -> Sequence[Part]:
        self.kept_programs: dict[tuple, Program] = {}  # sizes that differ in k have the same sliding windows
        self.sizes = [Size(*each) for each in self.settings.sizes]
        return [Part(size.row | {"pass": which}) for size in self.sizes for which in PASSES]

    def measure(self, part: Part) -> Tables:
        *size, which = part.columns.values()
        programs = programs_of(self.settings, Size(*size), which, self.kept_programs)
        times = measure(programs, self.settings)
        return {"times": times, "cost": [summary(self.settings, Size(*size), programs, times)]}

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return shares of the formula, forward and backward: the smallest, and the median over sizes."""
        shares = [row["share"] for row in tables["cost"] if row["pass"] == BOTH]
        return {"smallest_share": min(shares), "median_share": statistics.median(shares)}


def programs_of(settings: DtiCost, size: Size, which: str, kept: dict[tuple, Program]) -> dict[str, Program]:
    """{way: program} of one size and pass."""
    programs = {}
    for way, (targets, block) in ways(settings, size).items():
        interrupt.check()
        prompts = -(-settings.targets // size.k)
        key = (which, way, block, size.n, size.c, size.d, targets, prompts * size.k // targets)
        if key not in kept:
            kept[key] = program_of(settings, size, way, which)
        programs[way] = kept[key]
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
        rows.append({"round": turn, "way": way, WALL: each * seconds, CPU: each * busy})
    return rows


def summary(settings: DtiCost, size: Size, programs: dict[str, Program], times: list[dict]) -> dict:
    """A row of cost.csv: gains over sliding windows by each count.

    `time.WAY` is the median over rounds, of the faster of both sliding ways over this one; `low` and `high` are
    quartiles. `better` is the way with the largest of them, `share` that gain over the formula.
    """
    streaming = [way for way in programs if way not in (SLIDING, PARTS)]
    by_way = {
        (way, clock): np.array([row[clock] for row in times if row["way"] == way])
        for way in programs
        for clock in (WALL, CPU)
    }
    row = {
        "formula": interactions_gain(size.n, size.k),
        "tokens": tokens_gain(size.n, size.k, size.c),
        "projections": projections_gain(size.n, size.k, size.c, settings.model.num_layers),
    }
    reference = programs[SLIDING]
    for way in streaming:
        each = programs[way]
        row[f"flops.{way}"] = (reference.flops / reference.targets) / (each.flops / each.targets)
    base = {
        clock: min((SLIDING, PARTS), key=lambda way, clock=clock: np.median(by_way[way, clock]))
        for clock in (WALL, CPU)
    }
    row["sliding"], row["sliding_milliseconds"] = base[WALL], float(np.median(by_way[base[WALL], WALL]))
    row["sliding_at_once_over_parts"] = float(np.median(by_way[SLIDING, WALL] / by_way[PARTS, WALL]))
    for way in streaming:
        gains = by_way[base[WALL], WALL] / by_way[way, WALL]
        row[f"time.{way}"] = float(np.median(gains))
        row[f"time.{way}.low"], row[f"time.{way}.high"] = (float(each) for each in np.quantile(gains, (0.25, 0.75)))
        row[f"cpu.{way}"] = float(np.median(by_way[base[CPU], CPU] / by_way[way, CPU]))
    row["better"] = max(streaming, key=lambda way: row[f"time.{way}"])
    row["gain"] = row[f"time.{row['better']}"]
    row["share"] = row["gain"] / row["formula"]
    cpu = max(row[f"cpu.{way}"] for way in streaming)
    return row | {"cpu_gain": cpu, "cpu_share": cpu / row["formula"]}
