"""A study that times programs in turns: case after case, and every program of a case once per round.

Other work of the machine slows all programs of a round alike. Every second round has the reverse order: so a machine
that becomes slower within a round favours no program.
"""

import abc
import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from analysis.results import timing
from analysis.results.timing import DEVICE, PROGRAM, ROUND, STEPS
from lab.config.timed import InTurns
from lab.runs import console, interrupt
from lab.runs.devices import device_name
from trainers.study import Part, Row, Study, Tables
from trainers.timing.ceilings import highest
from trainers.timing.clock import how_many, seconds_of

T = TypeVar("T", bound=InTurns)
CEILINGS = "ceilings"  # the part with the highest rates of the device


@dataclasses.dataclass(frozen=True)
class Program:
    """A compiled program.

    Args:
        call: takes `steps` steps.
        operations, traffic: floating-point operations and bytes of a step; None: nobody counts them.
        columns: of its rows.
    """

    call: Callable[[], Any]
    steps: int
    operations: float | None = None
    traffic: float | None = None
    columns: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def of_steps(seconds: float, make: Callable[[int], Callable[[], Any]], **further) -> Program:
    """Return the program with as many steps as take about `seconds`; `make` compiles a call of so many."""
    one = make(1)
    steps = how_many(seconds, one)
    return Program(one if steps == 1 else make(steps), steps, **further)


def of_calls(seconds: float, call: Callable[[], Any], steps: int, **further) -> Program:
    """Return the program that makes a call of `steps` steps as often as takes about `seconds`."""
    calls = how_many(seconds, call)

    def several():
        for _ in range(calls - 1):
            call()
        return call()

    return Program(several, calls * steps, **further)


class TurnsStudy(Study[T]):
    """One part per case and round; the programs of a case are compiled before its first round.

    SHARES: whether the highest rates of the device are measured first, and the programs' shares of them.
    """

    TABLES: ClassVar = (STEPS,)
    DOING: ClassVar = "rounds"
    SHARES: ClassVar = False
    _case: Row | None = None  # whose programs are compiled
    _ready: dict[str, Program]

    @abc.abstractmethod
    def makers(self, case: Row) -> Mapping[str, Callable[[], Program]]:
        """Return {name of a program: a function that compiles it}, of a case."""

    def cases(self) -> Sequence[Row]:
        """Return the first columns of each case."""
        return [{}]

    def parts(self) -> Sequence[Part]:
        measured = [part for case in self.cases() for part in self.of_case(case)]
        return [*([Part({}, name=CEILINGS)] if self.SHARES else []), *measured]

    def of_case(self, case: Row) -> Sequence[Part]:
        """Return the parts of a case."""
        return [Part({**case, ROUND: turn}) for turn in range(self.settings.rounds)]

    def measure(self, part: Part) -> Tables:
        if part.name == CEILINGS:
            with console.busy("highest rates"):
                return {CEILINGS: [highest(self.settings.seconds / 3, 3)]}
        ready = self.ready({name: value for name, value in part.columns.items() if name != ROUND})
        order = -1 if part.columns[ROUND] % 2 else 1
        return {STEPS: [self._row(name, ready[name]) for name in [*ready][::order]]}

    def ready(self, case: Mapping[str, Any]) -> Mapping[str, Program]:
        """Return the programs of a case, compiled and called once, as a first call is slower."""
        if case != self._case:
            self._case, self._ready = dict(case), {}  # the earlier programs would take memory
            for name, make in self.makers(self._case).items():
                interrupt.check()
                with console.busy(f"compiling {', '.join([*map(str, case.values()), name])}"):
                    self._ready[name] = make()
                    seconds_of(self._ready[name].call)
        return self._ready

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        self.record.entries(device=device_name(), ceilings=tables.get(CEILINGS, [])[:1])
        return super().numbers(tables)

    def _row(self, name: str, program: Program) -> Row:
        busy = time.process_time()
        seconds = seconds_of(program.call) / program.steps
        busy = (time.process_time() - busy) / program.steps
        times = {timing.milliseconds.name: 1e3 * seconds, timing.cpu_milliseconds.name: 1e3 * busy}
        return {PROGRAM: name, DEVICE: device_name(), **program.columns, **times} | self._shares(program, seconds)

    def _shares(self, program: Program, seconds: float) -> Row:
        if not self.SHARES:
            return {}
        (rates,) = self.tables[CEILINGS]
        of_rates = {
            timing.share_of_flops.name: (program.operations, rates["flops_per_second"]),
            timing.share_of_bytes.name: (program.traffic, rates["bytes_per_second"]),
        }
        return {name: None if count is None else count / seconds / rate for name, (count, rate) in of_rates.items()}
