"""`dti`: a decoder of click streams is trained on prompts of k targets, and kept.

Runs that differ in traced numbers alone are one program: they train together, and each writes its own tables.
"""

import dataclasses
import functools
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from flax import nnx

from experiments.clicks.dti import evaluation, files
from experiments.clicks.dti.settings import Dti
from lab.errors import ConfigError
from lab.learners.learner import Learner
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_shape import StreamShape
from tasks.catalogue import TASKS
from tasks.click_streams import Tastes
from tasks.task import Task
from tasks.wrapper import FewUsers
from trainers import load_pretrained, loop, meta
from trainers.population import Member, members, stacked
from trainers.record import Record
from trainers.session import Session
from trainers.streams import Stream


def check(settings: Dti) -> None:
    """Refuse what would fail after the decoders that training starts from have been trained.

    Raises:
        ConfigError: `start` names no run of this kind, or one whose weights have other shapes.
        ConfigError: a word names no key.
    """
    for command in settings.inputs():
        maker = load_pretrained.settings_of(command, Dti)
        if maker.has_points:
            raise ConfigError(f"start.experiment={settings.start.experiment}: a sweep keeps no decoder; one run does")
        there, here = (_shapes(_shape(each)) for each in (maker, settings))
        if other := [name for name in there | here if there.get(name) != here.get(name)]:
            shapes = (each.get(other[0], "none") for each in (there, here))
            raise ConfigError(
                "start: {} keeps other weights: {} has shape {}, here {}".format(" ".join(command), other[0], *shapes)
            )


def run(records: Sequence[Record[Dti]]) -> None:
    """Train, measure and write each run's files.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, all checkpoints are damaged, or
            there is no decoder to start from.
    """
    session = session_of([record.settings for record in records], [each for one in records for each in _begun(one)])
    loop.run(records, session, evaluation.Evaluator, files.write)


def learners(settings: Dti) -> dict[str, Learner]:
    """Return {name: structure} of the trained decoder that a run keeps."""
    return session_of([settings]).structures


def session_of(settings: Sequence[Dti], trained: Sequence[nnx.State] = ()) -> Session:
    """Return the session that trains the decoders of these settings, which differ in traced numbers alone.

    Args:
        trained: the weights that training starts from, one tree for each seed of each run; none: it starts untrained.
    """
    shared = settings[0]
    population = members(settings)
    if trained:
        population = dataclasses.replace(population, extra=stacked(trained))
    users = shared.train.users
    if trained and not users:  # a seed's new users are others than those of the training before
        keys = jax.vmap(lambda key: jax.random.fold_in(key, Stream.continued))(population.key)
        population = dataclasses.replace(population, key=keys)

    def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
        assert isinstance(member.task, Tastes)  # `Dti.check` says so
        shape = StreamShape.of_task(shared.model, member.task)
        ymin, ymax, early, slope = (member.numbers[f"model.{name}"] for name in ("ymin", "ymax", "early", "slope"))

        def make(key: jax.Array, init_scale: jax.Array) -> StreamDecoder:
            decoder = StreamDecoder(shape, key, init_scale, jnp.stack([ymin, ymax]), early, slope)
            if member.extra is not None:
                nnx.update(decoder, member.extra)
            return decoder

        return {evaluation.DECODER: meta.begin(make, member.recipe, member.key)}

    def training(member: Member) -> Task:
        assert isinstance(member.task, Tastes)
        return FewUsers(member.task, member.stream(Stream.pool), users) if users else member.task

    # Three members with k = 50 take 1.14 times the processor seconds side by side (docs/speed.md).
    return Session(
        population,
        lambda member: None,
        begin,
        shared.device,
        shared.population.chunk,
        shared.eval.chunk,
        training,
        one_by_one=True,
    )


def _begun(record: Record[Dti]) -> list[nnx.State]:
    """Return the weights that each seed's training starts from; none where it starts untrained."""
    return [
        nnx.state(each, nnx.Param)
        for command in record.settings.inputs()
        for each in load_pretrained.decoders(record, command, StreamDecoder).values()
    ]


def _shape(settings: Dti) -> StreamShape:
    """Return the structure of the decoder of a run."""
    (task,) = TASKS[settings.task.name].together([settings.task], [])
    assert isinstance(task, Tastes)  # `Dti.check` says so
    return StreamShape.of_task(settings.model, task)


@functools.cache  # a paper has hundreds of runs of a few shapes
def _shapes(shape: StreamShape) -> dict[str, tuple[int, ...]]:
    """Return {name: shape} of a decoder's weights."""
    weights = jax.eval_shape(lambda: nnx.state(StreamDecoder(shape, jax.random.key(0)), nnx.Param))
    flat, _ = jax.tree_util.tree_flatten_with_path(weights)
    return {
        jax.tree_util.keystr(path, simple=True, separator=".").removesuffix(".value"): leaf.shape for path, leaf in flat
    }
