"""`decoder`: a causal Transformer is trained on a task, and kept for the experiments that start from it.

Runs that differ in traced numbers alone are one program: they train together, and each writes its own tables.
"""

from collections.abc import Sequence

from experiments.functions.decoder import files
from experiments.functions.decoder.settings import Decoder as Settings
from lab.errors import ConfigError
from lab.learners.learner import Learner
from tasks.catalogue import TASKS
from trainers import loop
from trainers.decoders.session import session_of
from trainers.record import Record


def run(records: Sequence[Record[Settings]]) -> None:
    """Train, measure and write each run's files.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, or all checkpoints are damaged.
    """
    session = session_of([record.settings for record in records])
    loop.run(records, session, files.Evaluator, files.write)


def check(settings: Settings) -> None:
    """Check that a decoder can be measured on the task by its number of examples.

    Raises:
        ConfigError: the task needs a table; its episodes have documents, which a decoder does not read; or its queries
            are its examples, so that not all queries can be shown the same examples.
    """
    task = TASKS[settings.task.name]
    if task.asks_its_examples:
        raise ConfigError(
            f"task={settings.task.name}: its queries are its examples, and this kind shows all queries the same ones; "
            "allowed: tasks with queries of their own"
        )
    if task.finite or task(**vars(settings.task)).document_width:
        what = "a table of data" if task.finite else "documents"
        raise ConfigError(f"task={settings.task.name}: it needs {what}, and a decoder reads examples alone")


def learners(settings: Settings) -> dict[str, Learner]:
    """Return {name: structure} of the trained decoder that a run keeps."""
    return session_of([settings]).structures
