"""Sessions that train decoders, for all kinds that do so."""

from collections.abc import Callable, Sequence

import jax

from lab.config.choices import SequenceKind
from lab.config.decoder import TrainsDecoder
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Interleaved, Merged, SequenceLayout
from lab.learners.decoder import Decoder
from lab.learners.decoder_shape import Shape
from lab.learners.every_prefix import EveryPrefix
from lab.learners.learner import Learner
from tasks.task import Task
from trainers import meta
from trainers.decoders import evaluation
from trainers.population import Member, members
from trainers.session import Session

LAYOUTS: dict[SequenceKind, type[SequenceLayout]] = {
    SequenceKind.merged: Merged,
    SequenceKind.interleaved: Interleaved,
}


def session_of(
    settings: Sequence[TrainsDecoder],
    make: Callable[[Shape, jax.Array, jax.Array], Learner] = Decoder,
    change: Callable[[Member], Member] = lambda population: population,
    training: Callable[[Member], Task] = lambda member: member.task,
) -> Session:
    """Return the session that trains the decoders of these settings, which differ in traced numbers alone.

    Args:
        make: (shape, key, init_scale) -> the untrained learner.
        change: returns the population with changes, such as other tasks.
        training: member -> the task that it is trained on (see `Session`).
    """
    shared = settings[0]

    def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
        shape = shape_of(shared, member.task)
        state = meta.begin(lambda key, init_scale: make(shape, key, init_scale), member.recipe, member.key)
        return {evaluation.Evaluator.SUBJECT: state}

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
    """Return the decoder's shape on this task."""
    layout = LAYOUTS[settings.model.layout](TokenLayout.of(task))
    return Shape.of(settings.model, layout, task.num_context)


def make_of(settings: TrainsDecoder) -> Callable[[Shape, jax.Array, jax.Array], Learner]:
    """Return a function (shape, key, init_scale) -> the untrained learner.

    It is a decoder that answers after every number of examples in one pass, if its tokens allow that: with merged
    tokens, in which an example shows its answer, they do not.
    """
    if settings.model.layout is not SequenceKind.interleaved:
        return Decoder

    def make(shape: Shape, key: jax.Array, init_scale: jax.Array) -> EveryPrefix:
        return EveryPrefix(Decoder(shape, key, init_scale))

    return make
