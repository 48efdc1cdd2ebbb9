"""`dti_cost`: what prompts of many targets save over sliding windows [DTI], by formulas, by operations, in time."""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from analysis.metrics.cost import interactions_gain, projections_gain, tokens_gain
from analysis.results.timing import STEPS
from experiments.clicks.dti_cost import results
from experiments.clicks.dti_cost.programs import Size, growing, growth_row, program_of, ways
from experiments.clicks.dti_cost.settings import DtiCost
from trainers.record import Record
from trainers.study import Part, Row, Tables
from trainers.timing.study import Program, TurnsStudy


def run(records: Sequence[Record[DtiCost]]) -> None:
    """Time the programs and count their operations.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        CostStudy(record).run()


class CostStudy(TurnsStudy[DtiCost]):
    """A case per size and pass, with a part for what is counted before its rounds."""

    TABLES: ClassVar = (STEPS, results.COST, results.GROWTH)

    def cases(self) -> Sequence[Row]:
        return [Size(*size).row | {results.PASS: str(which)} for size in self.settings.sizes for which in results.Pass]

    def of_case(self, case: Row) -> Sequence[Part]:
        return [Part(case, name=results.COST), *super().of_case(case)]

    def parts(self) -> Sequence[Part]:
        first = Size(*self.settings.sizes[0])
        grown = [dataclasses.replace(first, k=k).row for k in self.settings.growth]
        return [*super().parts(), *(Part(size, name=results.GROWTH) for size in grown)]

    def measure(self, part: Part) -> Tables:
        if part.name == results.GROWTH:
            grown = Size(*part.columns.values())
            return {results.GROWTH: [growth_row(self.settings, grown, way) for way in growing(self.settings)]}
        if part.name == results.COST:
            *size, _ = part.columns.values()
            return {results.COST: [counts(self.settings, Size(*size), self.ready(part.columns))]}
        return super().measure(part)

    def makers(self, case: Row) -> Mapping[str, Callable[[], Program]]:
        *size, which = case.values()
        one = Size(*size)
        return {way: functools.partial(program_of, self.settings, one, way, which) for way in ways(self.settings, one)}


def counts(settings: DtiCost, size: Size, programs: Mapping[str, Program]) -> Row:
    """Return a row of cost.csv: gains over sliding windows, counted."""
    shared = [way for way in programs if way != results.SLIDING and not way.endswith(results.PARTS)]
    return {
        results.FORMULA: interactions_gain(size.n, size.k),
        results.TOKENS: tokens_gain(size.n, size.k, size.c),
        results.PROJECTIONS: projections_gain(size.n, size.k, size.c, settings.model.num_layers),
    } | {f"{results.FLOPS}{way}": fewer_operations(programs[results.SLIDING], programs[way]) for way in shared}


def fewer_operations(reference: Program, program: Program) -> float | None:
    """Return how many times as many operations the reference takes; None where XLA does not count them."""
    if reference.operations is None or program.operations is None:
        return None
    return reference.operations / program.operations
