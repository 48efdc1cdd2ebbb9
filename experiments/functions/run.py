"""`functions`: a decoder learns a class of functions in context, and is measured after every number of examples.

One program of runs that differ in numbers alone, from settings to the tables of each.
"""

import dataclasses
from collections.abc import Callable, Sequence

from experiments.functions import files
from experiments.functions.settings import Functions
from lab.errors import ConfigError
from lab.learners.learner import Learner
from tasks.catalogue import FUNCTIONS
from tasks.curriculum import Curriculum, Plan
from tasks.task import Task
from trainers import loop
from trainers.decoders import session as decoder
from trainers.decoders.evaluation import Evaluator
from trainers.decoders.session import make_of
from trainers.population import Member
from trainers.record import Record
from trainers.session import Session

PLAN = tuple(each.name for each in dataclasses.fields(Plan))


def run(records: Sequence[Record]) -> None:
    """Train, measure and write each run's files.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, no checkpoint is good.
    """
    session = session_of([record.settings for record in records])
    loop.run(records, session, Evaluator, files.write)


def check(settings: Functions) -> None:
    """
    Raises:
        ConfigError: the task is no class of functions.
    """
    if settings.task.name not in FUNCTIONS:
        allowed = ", ".join(FUNCTIONS)
        raise ConfigError(f"task={settings.task.name}: it is no class of functions; allowed: {allowed}")


def learners(settings: Functions) -> dict[str, Learner]:
    """The structure of the trained decoder that a run keeps."""
    return {Evaluator.SUBJECT: session_of([settings]).structures[Evaluator.SUBJECT]}


def session_of(settings: Sequence[Functions]) -> Session:
    """The session that trains the decoders of these settings, which differ in traced numbers alone."""
    return decoder.session_of(settings, make_of(settings[0]), training=training_of(settings))


def training_of(settings: Sequence[Functions]) -> Callable[[Member], Task]:
    """member -> the task that it is trained on. Where none of these has a curriculum, nothing is masked."""
    if not any(each.curriculum.every for each in settings):
        return lambda member: member.task

    def growing(member: Member) -> Task:
        return Curriculum(member.task, Plan(**{name: member.numbers[f"curriculum.{name}"] for name in PLAN}))

    return growing
