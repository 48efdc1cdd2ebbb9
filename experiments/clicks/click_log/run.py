"""`click_log`: a decoder of click streams is trained on a log of real interactions, tested on its latest, and kept.

From settings to tables; the log is read in parts, from memory-mapped arrays.
"""

from collections.abc import Sequence

from experiments.clicks.click_log import files
from experiments.clicks.click_log.evaluation import Evaluator
from experiments.clicks.click_log.session import LogSession
from experiments.clicks.click_log.settings import ClickLogRun
from lab.learners.learner import Learner
from lab.runs import console
from tasks.logs.catalogue import READERS
from tasks.logs.log import ClickLog
from tasks.task import Source
from trainers import loop
from trainers.record import Record
from trainers.slice import alive, runs_of


def run(records: Sequence[Record]) -> None:
    """Train, test and write each run's files. A run goes on from its checkpoint.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, no checkpoint is good.
        DataError: the log cannot be read.
    """
    for record in records:
        _run(record)


def learners(settings: ClickLogRun) -> dict[str, Learner]:
    """The structure of the trained decoder that a run keeps."""
    return LogSession(settings, _log_of(settings)).structures


def _run(record: Record) -> None:
    settings = record.settings
    log = _log_of(settings)
    session = LogSession(settings, log)
    evaluator = Evaluator(session, settings, log)
    runs = runs_of([record], [Source()])
    step = loop.begin(session, runs)
    if step is None:
        for line in notes(settings, log, session):
            record.note(line)
    loop.train(session, evaluator, runs, step)
    if alive(runs):
        files.write(session, evaluator, runs[0], log)


def notes(settings: ClickLogRun, log: ClickLog, session: LogSession) -> list[str]:
    """Return what a reader of the results should know of the log and of its training."""
    epochs = settings.train.steps * settings.train.batch_size / len(session.prompts)
    size = f"{log.num_users:,} users, {len(log.label):,} interactions, {log.vocabulary_size:,} tokens"
    return [size, *log.notes, f"{settings.train.steps:,} steps are {epochs:.3g} epochs of the training split"]


def _log_of(settings: ClickLogRun) -> ClickLog:
    with console.busy("reading the log"):
        return READERS[settings.data.name].read(settings.data)
