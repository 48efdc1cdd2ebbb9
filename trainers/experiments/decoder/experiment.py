"""`decoder`: a causal Transformer is trained on a task, and kept for the experiments that start from it.

One program of runs that differ in numbers alone, from settings to the tables of each.
"""

from collections.abc import Callable, Sequence

import jax

from lab.config.choices import SequenceKind
from lab.config.decoder import Decoder as Settings
from lab.config.decoder import TrainsDecoder
from lab.errors import ConfigError
from lab.layouts.interleaved import Interleaved
from lab.layouts.merged import TokenLayout
from lab.layouts.merged_sequence import Merged
from lab.layouts.sequence import SequenceLayout
from lab.learners.decoder import Decoder, Shape
from lab.learners.learner import Learner
from tasks.catalogue import TASKS
from tasks.task import Task
from trainers import loop, meta
from trainers.experiments.decoder import evaluation, files
from trainers.population import Member, members
from trainers.record import Record
from trainers.session import Session

LAYOUTS: dict[SequenceKind, type[SequenceLayout]] = {
    SequenceKind.merged: Merged,
    SequenceKind.interleaved: Interleaved,
}


def run(records: Sequence[Record]) -> None:
    """Train, measure and write each run's files.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, no checkpoint is good.
    """
    session = session_of([record.settings for record in records])
    loop.run(records, session, evaluation.Evaluator, files.write)


def check(settings: Settings) -> None:
    """What only the tables of tasks and learners know of the settings.

    Raises:
        ConfigError: the task needs data, or its episodes have documents, which the decoder does not read; or its
            queries are its examples, so that not all of them can be shown the same ones.
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
    """The structure of the trained decoder that a run keeps."""
    return session_of([settings]).structures


def session_of(
    settings: Sequence[TrainsDecoder],
    make: Callable[[Shape, jax.Array, jax.Array], Learner] = Decoder,
    change: Callable[[Member], Member] = lambda population: population,
    training: Callable[[Member], Task] = lambda member: member.task,
) -> Session:
    """The session that trains the decoders of these settings, which differ in traced numbers alone.

    Args:
        make: (shape, key, init_scale) -> what is trained.
        change: what is changed of the population, such as its tasks.
        training: as `Session` has it.
    """
    shared = settings[0]

    def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
        shape = shape_of(shared, member.task)
        trainees = {evaluation.Evaluator.SUBJECT: lambda key, init_scale: make(shape, key, init_scale)}
        return {name: meta.begin(make_one, member.recipe, member.key) for name, make_one in trainees.items()}

    return Session(
        change(members(settings)),
        lambda member: None,
        begin,
        shared.device,
        shared.population.chunk,
        shared.eval.chunk,
        training,
    )


def shape_of(settings: TrainsDecoder, task: Task) -> Shape:
    """The decoder's static structure on this task."""
    layout = LAYOUTS[settings.model.layout](TokenLayout.of(task))
    return Shape.of(settings.model, layout, task.num_context)
