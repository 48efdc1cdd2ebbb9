"""`comparison`: Transformers are meta-trained and compared with gradient descent and other learners.

Runs that differ in traced numbers alone are one program: they train together, and each writes its own tables.
"""

import functools
from collections.abc import Sequence

from experiments.regression.comparison import evaluation, files, own_learners, references, shifts, trainees
from experiments.regression.comparison.settings import Comparison
from lab.config.choices import Injection
from lab.errors import ConfigError
from lab.learners.learner import Learner
from lab.runs import console
from tasks.catalogue import TASKS
from tasks.ranking import Ranking
from tasks.task import Source, Task
from trainers import loop, meta
from trainers.population import Member, members
from trainers.record import Record
from trainers.session import Session


def run(records: Sequence[Record[Comparison]]) -> None:
    """Train and compare, and write each run's files. Runs continue from a checkpoint if all of them have it.

    Raises:
        ConfigError: documents have no place among the tokens.
        UserError: a directory cannot be written, the device has too little memory, or all checkpoints are damaged.
        DataError: the data cannot be read; nothing is written then.
    """
    settings = [record.settings for record in records]
    sources = read_sources(settings)
    task = TASKS[settings[0].task.name].together([settings[0].task], sources[:1])[0]
    _require_places(settings[0], task)
    loop.run(records, session_of(settings, sources), evaluation.Evaluator, files.write, sources)


def check(settings: Comparison) -> None:
    """Check the settings that depend on the task and on the user's learners, whose code `settings.py` does not import.

    Raises:
        ConfigError: a learner is unknown, the queries of the task do not see all examples, its loss is not defined for
            examples, or its inputs and teacher cannot be shifted.
    """
    own_learners.require(settings.learners)
    if TASKS[settings.task.name].asks_its_examples:
        raise ConfigError(
            f"task={settings.task.name}: its queries see some of the examples each, which linear attention over all of "
            "them cannot; choose a task whose queries see the whole context"
        )
    if issubclass(TASKS[settings.task.name], Ranking):
        raise ConfigError(
            f"task={settings.task.name}: its loss ranks candidates, which its examples have not, so that no gradient "
            "descent on them is defined; choose a task whose examples have targets as the queries do"
        )
    shifts.require(settings)


def learners(settings: Comparison) -> dict[str, Learner]:
    """Return {name: structure} of the trained learners that a run keeps."""
    return session_of([settings], read_sources([settings])).structures


def _require_places(settings: Comparison, task: Task) -> None:
    """Refuse documents with interleaved tokens, which have no place for them.

    Raises:
        ConfigError: the episodes have documents, and the tokens are interleaved.
    """
    if settings.model.interleaved and settings.model.injection is not Injection.none and task.document_width:
        raise ConfigError(
            f"model.layout=interleaved: the documents of task={settings.task.name} do not enter such a Transformer; "
            "choose model.injection=none to leave them out"
        )


def read_sources(settings: Sequence[Comparison]) -> list[Source]:
    """Read the data sets of the runs, and return one source per run.

    Raises:
        DataError: a data set cannot be read.
    """
    if names := dict.fromkeys(each.data.name for each in settings if each.data):
        console.say(f"reading {', '.join(names)}")
    task = TASKS[settings[0].task.name]
    return task.read([each.task for each in settings], [each.data for each in settings])


def session_of(settings: Sequence[Comparison], sources: Sequence[Source]) -> Session:
    """Return the session that trains the runs of these settings, which differ in traced numbers alone."""
    shared = settings[0]

    def begin(member: Member, prepared: references.References) -> dict[str, meta.TrainState]:
        makes = trainees.trainees(shared, member, prepared)
        makes |= own_learners.trainees(shared.learners, member.task)
        return {name: meta.begin(make, member.recipe, member.key) for name, make in makes.items()}

    return Session(
        members(settings, sources),
        functools.partial(references.prepare, shared),
        begin,
        shared.device,
        shared.population.chunk,
        shared.eval.chunk,
    )
