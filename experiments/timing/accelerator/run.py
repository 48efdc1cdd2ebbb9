"""`accelerator`: what a device must get right, then the times of three programs.

On a CPU the sizes are those of `small`, and products of matrices have one precision. The programs are timed one after
the other, since each is compared with the device's highest rates alone: what is done is kept if the run is stopped.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import jax

from analysis.results.timing import PROGRAM, STEPS
from experiments.timing.accelerator import checks
from experiments.timing.accelerator.programs import MAKERS
from experiments.timing.accelerator.results import CHECKS, Program
from experiments.timing.accelerator.settings import Accelerator, Scale
from lab.runs import console
from trainers.record import Record
from trainers.study import Part, Row, Tables
from trainers.timing import study
from trainers.timing.study import TurnsStudy

CHECKED = {f"{check.replace('_', ' ')}, {precision}": (check, precision) for check, precision in checks.CHECKS}


def run(records: Sequence[Record[Accelerator]]) -> None:
    """Check the device, and time the programs.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        if jax.default_backend() == "cpu":
            record.note("no accelerator was found: sizes are those of `small`, and all products are float32")
        DeviceStudy(record).run()


class DeviceStudy(TurnsStudy[Accelerator]):
    """A part per check, then a case per program."""

    TABLES: ClassVar = (CHECKS, STEPS)
    DOING: ClassVar = "accelerator"
    SHARES: ClassVar = True

    @property
    def scale(self) -> Scale:
        """The sizes on this device."""
        return self.settings.small if jax.default_backend() == "cpu" else self.settings.large

    def cases(self) -> Sequence[Row]:
        return [{PROGRAM: str(program)} for program in Program]

    def parts(self) -> Sequence[Part]:
        return [*(Part({}, name=name) for name in CHECKED), *super().parts()]

    def measure(self, part: Part) -> Tables:
        if part.name in CHECKED:
            with console.busy(f"checking {part.name}"):
                return {CHECKS: [checks.row(self.settings, self.scale, *CHECKED[part.name])]}
        return super().measure(part)

    def makers(self, case: Row) -> Mapping[str, Callable[[], study.Program]]:
        make = MAKERS[case[PROGRAM]]
        return {case[PROGRAM]: functools.partial(make, self.scale, self.settings.seed, self.settings.seconds)}
