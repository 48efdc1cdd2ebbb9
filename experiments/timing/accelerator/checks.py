"""The checks of a device: constructions and gradients against float64, and trainings against themselves."""

import dataclasses
import functools
import pathlib
import tempfile
from contextlib import AbstractContextManager

import jax
import jax.numpy as jnp
import numpy as np

from analysis.results.timing import DEVICE
from experiments.timing.accelerator.results import CHECK, DEVICES, ERROR, OF_PRECISION, PRECISION, UNIT, UNITS, Check
from experiments.timing.accelerator.settings import Accelerator, Scale
from experiments.timing.decoder import begun
from lab.config.base import Device
from lab.layouts.merged import TokenLayout
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.learner import predict
from lab.learners.linear_transformer import Shape
from lab.runs.devices import device_name
from tasks.catalogue import TASKS
from trainers import mesh, meta
from trainers.population import Member
from trainers.store import Checkpoints
from trainers.streams import Stream, key_of

LAYERS, ETA = 5, 1.2  # of the construction; the rate is about the best of a single step
EPISODES = 256  # that it answers
DECODER_LAYERS = 2  # of the decoder that is checked, whose nine programs take minutes to compile on a GPU
# Each check, at each precision at which it is made.
CHECKS = [(check, precision) for check in Check for precision in (UNITS if check in OF_PRECISION else ("float32",))]
# The names of precisions are requests, and a device computes at least as precisely: on a GPU "bfloat16" is TF32. These
# are not.
ON_GPU = {"float32": "F32_F32_F32", "tensorfloat32": "TF32_TF32_F32", "bfloat16": "BF16_BF16_F32"}


def in_precision(precision: str) -> AbstractContextManager:
    """Return the context in which products of float32 matrices are computed at a precision, a key of `UNITS`.

    A CPU computes them in float32 whatever is asked for.
    """
    return jax.default_matmul_precision(ON_GPU[precision] if jax.default_backend() == "gpu" else precision)


def row(settings: Accelerator, scale: Scale, check: Check, precision: str) -> dict:
    """Return the row of checks.csv of one check at one precision."""
    return {
        CHECK: check,
        PRECISION: precision,
        DEVICE: device_name(),
        DEVICES: jax.local_device_count(),
        ERROR: error(settings, scale, check, precision),
        UNIT: UNITS[precision],
    }


def error(settings: Accelerator, scale: Scale, check: Check, precision: str) -> float:
    """Return the relative error of one check at one precision."""
    if check is Check.CONSTRUCTION:
        return construction(settings.seed, precision)
    size = dataclasses.replace(scale.decoder, num_layers=min(scale.decoder.num_layers, DECODER_LAYERS))
    member, state = begun(size, scale.prompts, scale.examples, size.num_heads, settings.seed)
    if check is Check.GRADIENT:
        return gradient(member, state, precision)
    with in_precision(precision):
        if check is Check.SPLIT:
            return split_batch(member, state)
        return (repeated if check is Check.REPEATED else resumed)(member, state, settings.steps)


def construction(seed: int, precision: str) -> float:
    """Return the error of a Transformer that is set by hand to gradient descent of five steps, beside that in
    float64."""
    task = TASKS["plain"]()
    layout = TokenLayout.of(task)
    episodes = task.sample(key_of(seed, Stream.test), EPISODES)
    with in_precision(precision):
        by_hand = constructed(Shape(layout, num_layers=LAYERS), ETA, task.num_context)
        answers = jax.device_get(jax.jit(predict)(by_hand, episodes.prompt))
    with jax.enable_x64(True):
        exact = jax.jit(predict)(GradientDescent(layout, jnp.asarray(ETA, float), LAYERS), _wide(episodes.prompt))
        return _relative(answers, jax.device_get(exact))


def gradient(member: Member, state: meta.TrainState, precision: str) -> float:
    """Return the error of the gradient of a decoder's loss on a batch, beside that in float64."""
    episodes = member.task.sample(member.stream(Stream.test), member.recipe.batch_size)
    with in_precision(precision):
        narrow = jax.device_get(_gradient(member, state.learner, episodes))
    with jax.enable_x64(True):
        wide = _gradient(_wide(member), _wide(state.learner), _wide(episodes))
        return _relative(narrow, jax.device_get(wide))


def split_batch(member: Member, state: meta.TrainState) -> float:
    """Return the error of the gradient where the batch is split over all devices, beside that of one device."""
    episodes = member.task.sample(member.stream(Stream.test), member.recipe.batch_size)
    devices = mesh.mesh_of(Device(), 1, member.recipe.batch_size)
    placed = jax.jit(mesh.shard_batch(devices))(mesh.everywhere(episodes, devices))
    split = _gradient(member, mesh.everywhere(state.learner, devices), placed)
    return _relative(jax.device_get(split), jax.device_get(_gradient(member, state.learner, episodes)))


def repeated(member: Member, state: meta.TrainState, steps: int) -> float:
    """Return the error of a training's weights when it is done a second time."""
    first, second = (jax.device_get(trained(member, state, steps)) for _ in range(2))
    return _relative(first.learner, second.learner)


def resumed(member: Member, state: meta.TrainState, steps: int) -> float:
    """Return the error of the weights of a training that was saved after half of its steps, and read back."""
    half = trained(member, state, first := steps // 2)
    with tempfile.TemporaryDirectory() as folder:
        states = Checkpoints(pathlib.Path(folder), "accelerator")
        states.save(first, half, {})
        restored = states.restore(first, half)
        assert restored is not None, "it was written in this process"
    again = jax.tree.map(jnp.asarray, restored[0])
    ends = (jax.device_get(trained(member, each, steps - first)) for each in (again, half))
    return _relative(*(each.learner for each in ends))


@functools.partial(jax.jit, static_argnames="steps")
def trained(member: Member, state: meta.TrainState, steps: int) -> meta.TrainState:
    """Return the state after so many training steps."""
    return meta.train(state, member.task, member.recipe, member.key, steps)[0]


@jax.jit
def _gradient(member: Member, learner, episodes):
    return jax.grad(lambda learner: meta.mean_loss(learner, member.task, episodes), allow_int=True)(learner)


def _wide(tree):
    """Return a tree with its float32 numbers in float64, inside of `jax.enable_x64`."""
    return jax.tree.map(lambda leaf: leaf.astype(float) if leaf.dtype == jnp.float32 else leaf, tree)


def _relative(tree, right) -> float:
    """Return the norm of the difference of all floats of two trees, divided by that of the second."""
    pairs = zip(jax.tree.leaves(tree), jax.tree.leaves(right), strict=True)
    floats = [(np.asarray(a, np.float64), np.asarray(b, np.float64)) for a, b in pairs if _is_float(b)]
    difference = sum(float(np.sum((a - b) ** 2)) for a, b in floats)
    return (difference / sum(float(np.sum(b**2)) for _, b in floats)) ** 0.5


def _is_float(leaf) -> bool:
    return jnp.issubdtype(leaf.dtype, jnp.floating)
