"""`accelerator`: what a device must get right, then the times of three programs in turns, at each precision.

On a CPU the sizes are those of `small`, and products of matrices have one precision.
"""

import functools
from collections.abc import Sequence
from typing import ClassVar

import jax

from experiments.timing.accelerator import checks
from experiments.timing.accelerator.columns import Checks, Program, Steps, Table
from experiments.timing.accelerator.page import medians, page_rows
from experiments.timing.accelerator.precisions import in_precision, timed
from experiments.timing.accelerator.programs import Ready, ready
from experiments.timing.accelerator.settings import Accelerator, Scale
from lab.runs import console, interrupt
from lab.runs.devices import device_name
from trainers.record import Record
from trainers.study import Part, Study, Tables
from trainers.timing.ceilings import Ceilings
from trainers.timing.clock import one_round, seconds_of

CEILING = "ceilings"  # the name of the first part; those that follow have the names of CHECKS
CHECKS = {f"{check.replace('_', ' ')}, {precision}": (check, precision) for check, precision in checks.CHECKS}

Key = tuple[Program, str]  # a program and a precision of matrix products


def run(records: Sequence[Record[Accelerator]]) -> None:
    """Write the tables `checks` and `steps`, and headline numbers; print rows for a page.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        DeviceStudy(record).run()


class DeviceStudy(Study[Accelerator]):
    """A part for the highest rates of the device, one for each check, then one per round of times."""

    TABLES: ClassVar = tuple(Table)
    DOING: ClassVar = "accelerator"

    @property
    def scale(self) -> Scale:
        """The sizes on this device."""
        return self.settings.small if jax.default_backend() == "cpu" else self.settings.large

    def parts(self) -> Sequence[Part]:
        rounds = [Part({Steps.ROUND: turn}) for turn in range(self.settings.rounds)]
        return [Part({}, name=CEILING), *(Part({}, name=name) for name in CHECKS), *rounds]

    @functools.cached_property
    def timed_programs(self) -> dict[Key, Ready]:
        """The compiled programs, by precision."""
        result: dict[Key, Ready] = {}
        for program in Program:
            for precision in timed(jax.default_backend()):
                interrupt.check()
                with console.busy(f"compiling {program}, {precision}"), in_precision(precision):
                    result[program, precision] = ready(self.scale, program, self.settings.seed, self.settings.seconds)
                    seconds_of(result[program, precision].call)  # the first call is slower than later ones
        return result

    def measure(self, part: Part) -> Tables:
        if part.name == CEILING:
            return {CEILING: self._ceilings()}
        if part.name in CHECKS:
            with console.busy(f"checking {part.name}"):
                return {Table.CHECKS: [checks.row(self.settings, self.scale, *CHECKS[part.name])]}
        calls = {key: (each.call, each.steps) for key, each in self.timed_programs.items()}
        laps = one_round(calls, part.columns[Steps.ROUND])
        return {Table.STEPS: [self._row(key, seconds) for key, seconds in laps]}

    def _ceilings(self) -> list[dict]:
        rows = []
        for precision in timed(jax.default_backend()):
            with console.busy(f"highest rates, {precision}"), in_precision(precision):
                highest = Ceilings.measured(self.settings.seconds / 3, 3)
            rows.append({"precision": precision, "flops": highest.flops_per_second, "bytes": highest.bytes_per_second})
        return rows

    def _row(self, key: Key, seconds: float) -> dict:
        program, each = key[0], self.timed_programs[key]
        (highest,) = (row for row in self.tables[CEILING] if row["precision"] == key[1])
        return {
            Steps.PROGRAM: program,
            Steps.PRECISION: key[1],
            Steps.DEVICE: device_name(),
            **each.size,
            Steps.MILLISECONDS: 1e3 * seconds,
            Steps.SHARE_OF_FLOPS: each.flops / seconds / highest["flops"],
            Steps.SHARE_OF_BYTES: each.bytes / seconds / highest["bytes"],
        }

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        self.record.entries(device=device_name(), ceilings=tables[CEILING])
        if jax.default_backend() == "cpu":
            self.record.note("no accelerator was found: sizes are those of `small`, and all products are float32")
        errors: dict[str, float | None] = {
            f"error.{row[Checks.CHECK]}.{row[Checks.PRECISION]}": row[Checks.ERROR] for row in tables[Table.CHECKS]
        }
        for line in page_rows(tables[Table.STEPS]):
            console.say(line)
        return errors | medians(tables[Table.STEPS])
