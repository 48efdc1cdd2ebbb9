"""`retrieval_cost`: the times of a training step and of answers, for every retriever and number of documents."""

import functools
import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from experiments.timing.retrieval_cost import answers
from experiments.timing.retrieval_cost.columns import Cost, Table, Timed
from experiments.timing.retrieval_cost.settings import RetrievalCost
from lab.config import timed
from lab.runs import console, interrupt
from lab.runs.devices import device_name
from lab.runs.memory import enough_memory
from tasks.settings import RagDot, RagLinear
from trainers.record import Record
from trainers.study import Part, Row, Study, Tables
from trainers.timing.clock import how_many, one_round, seconds_of
from trainers.timing.training import Training

RETRIEVERS = {schema.name: schema for schema in (RagLinear, RagDot)}

Place = tuple[Timed, str, int]  # what is timed, retriever, number of documents
Program = tuple[Callable, int]  # a call that takes so many training steps, or answers so many batches


def task_of(place: Place) -> RagLinear | RagDot:
    """Return the task with the retriever and the number of documents of a place."""
    _, retriever, documents = place
    return RETRIEVERS[retriever](num_documents=documents)


def training(settings: RetrievalCost, place: Place) -> Training:
    """Return the training with one retriever and one number of documents."""
    task = task_of(place)
    return Training(
        timed.Timed(
            seed=settings.seed,
            task=task,
            model=settings.model,
            train=timed.SpeedTrain(batch_size=settings.batch_size),
            examples=settings.batch_size * task.num_context,  # as many as the batch has, so that it is not reduced
        )
    )


def program_of(settings: RetrievalCost, place: Place) -> Program:
    """Return a program with as many training steps, or batches that are answered, as take about `settings.seconds`."""
    if place[0] is Timed.STEP:
        one = training(settings, place)
        steps = how_many(settings.seconds, one.program(1)[0])
        return one.program(steps)[0], steps
    call = answers.program_of(settings, task_of(place), retrieved=place[0] is Timed.RETRIEVED)
    calls = how_many(settings.seconds, call)
    return lambda: [call() for _ in range(calls)], calls * answers.BATCHES


def programs_of(settings: RetrievalCost) -> dict[Place, Program]:
    """Return the programs of all that is timed, with every retriever and number of documents.

    Raises:
        NoMemory: the device has too little memory for one of them.
    """
    programs = {}
    for place in itertools.product(Timed, RETRIEVERS, settings.documents):
        interrupt.check()
        doing = "compiling {}, {}, {} documents".format(*place)
        with console.busy(doing), enough_memory("lower batch_size or documents"):
            programs[place] = program_of(settings, place)
            seconds_of(programs[place][0])  # the first call of a program is slower than later ones
    return programs


def medians(rows: list[dict]) -> dict[str, float]:
    """Return {microseconds.TIMED.RETRIEVER.DOCUMENTS: the median over the rounds}."""
    times: dict[str, list[float]] = {}
    for row in rows:
        name = f"{Cost.MICROSECONDS}.{row[Cost.TIMED]}.{row[Cost.RETRIEVER]}.{row[Cost.DOCUMENTS]}"
        times.setdefault(name, []).append(row[Cost.MICROSECONDS])
    return {name: statistics.median(each) for name, each in times.items()}


def run(records: Sequence[Record[RetrievalCost]]) -> None:
    """Write the table `cost`, and the medians as numbers.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        CostStudy(record).run()


class CostStudy(Study[RetrievalCost]):
    """One part per round, in which every program is timed once."""

    TABLES: ClassVar = tuple(Table)
    DOING: ClassVar = "rounds"

    def parts(self) -> Sequence[Part]:
        return [Part({Cost.ROUND: turn}) for turn in range(self.settings.rounds)]

    @functools.cached_property
    def timed_programs(self) -> dict[Place, Program]:
        """The compiled programs."""
        return programs_of(self.settings)

    def measure(self, part: Part) -> Tables:
        return {Table.COST: rows_of(self.timed_programs, part.columns[Cost.ROUND])}

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        return {**medians(tables[Table.COST])}


def rows_of(programs: Mapping[Place, Program], turn: int) -> list[Row]:
    """Return the rows of a round, in the order of the measurements."""
    return [
        {
            Cost.TIMED: what,
            Cost.RETRIEVER: retriever,
            Cost.DOCUMENTS: documents,
            Cost.DEVICE: device_name(),
            Cost.MICROSECONDS: 1e6 * seconds,
        }
        for (what, retriever, documents), seconds in one_round(programs, turn)
    ]
