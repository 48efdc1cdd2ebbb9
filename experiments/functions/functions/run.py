"""`functions`: a decoder learns a class of functions in context, and is measured after every number of examples.

Runs that differ in traced numbers alone are one program: they train together, and each writes its own tables.
"""

import dataclasses
from collections.abc import Callable, Sequence

from experiments.functions.functions import files
from experiments.functions.functions.settings import Functions
from lab.errors import ConfigError
from lab.learners.learner import Learner
from tasks.catalogue import FUNCTIONS
from tasks.curriculum import Curriculum, Plan
from tasks.functions.real import RealFunctions
from tasks.task import Task
from trainers import loop
from trainers.decoders import session as decoder
from trainers.decoders.evaluation import Evaluator
from trainers.decoders.session import make_of
from trainers.population import Member
from trainers.record import Record
from trainers.session import Session

PLAN = tuple(each.name for each in dataclasses.fields(Plan))


def run(records: Sequence[Record[Functions]]) -> None:
    """Train, measure and write each run's files.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, or all checkpoints are damaged.
    """
    session = session_of([record.settings for record in records])
    loop.run(records, session, Evaluator, files.write)


def check(settings: Functions) -> None:
    """Check that the task is a class of functions.

    Raises:
        ConfigError: it is not.
    """
    if settings.task.name not in FUNCTIONS:
        allowed = ", ".join(FUNCTIONS)
        raise ConfigError(f"task={settings.task.name}: it is no class of functions; allowed: {allowed}")


def learners(settings: Functions) -> dict[str, Learner]:
    """Return {name: structure} of the trained decoder that a run keeps."""
    return {Evaluator.SUBJECT: session_of([settings]).structures[Evaluator.SUBJECT]}


def session_of(settings: Sequence[Functions]) -> Session:
    """Return the session that trains the decoders of these settings, which differ in traced numbers alone."""
    return decoder.session_of(settings, make_of(settings[0]), training=training_of(settings))


def training_of(settings: Sequence[Functions]) -> Callable[[Member], Task]:
    """Return a function member -> the task that it is trained on: its own, with a curriculum if any of the runs has
    one."""
    if not any(each.curriculum.every for each in settings):
        return lambda member: member.task

    def growing(member: Member) -> Task:
        assert isinstance(member.task, RealFunctions)  # `Functions.check` refuses curricula of other tasks
        return Curriculum(member.task, Plan(**{name: member.numbers[f"curriculum.{name}"] for name in PLAN}))

    return growing
