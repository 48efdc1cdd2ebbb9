"""`dti`: a decoder of click streams is trained on prompts of k targets, and kept.

Runs that differ in traced numbers alone are one program: they train together, and each writes its own tables.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp

from experiments.clicks.dti import evaluation, files
from experiments.clicks.dti.settings import Dti
from lab.learners.learner import Learner
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_shape import StreamShape
from tasks.click_streams import Tastes
from trainers import loop, meta
from trainers.population import Member, members
from trainers.record import Record
from trainers.session import Session


def run(records: Sequence[Record[Dti]]) -> None:
    """Train, measure and write each run's files.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, or all checkpoints are damaged.
    """
    session = session_of([record.settings for record in records])
    loop.run(records, session, evaluation.Evaluator, files.write)


def learners(settings: Dti) -> dict[str, Learner]:
    """Return {name: structure} of the trained decoder that a run keeps."""
    return session_of([settings]).structures


def session_of(settings: Sequence[Dti]) -> Session:
    """Return the session that trains the decoders of these settings, which differ in traced numbers alone."""
    shared = settings[0]

    def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
        assert isinstance(member.task, Tastes)  # `Dti.check` says so
        shape = StreamShape.of_task(shared.model, member.task)
        ymin, ymax, slope = (member.numbers[f"model.{name}"] for name in ("ymin", "ymax", "slope"))

        def make(key: jax.Array, init_scale: jax.Array) -> StreamDecoder:
            return StreamDecoder(shape, key, init_scale, jnp.stack([ymin, ymax]), slope)

        return {evaluation.DECODER: meta.begin(make, member.recipe, member.key)}

    # Three members with k = 50 take 1.14 times the processor seconds side by side (docs/speed.md).
    return Session(
        members(settings),
        lambda member: None,
        begin,
        shared.device,
        shared.population.chunk,
        shared.eval.chunk,
        one_by_one=True,
    )
