"""The answers of learners to the same episodes: predictions, their gradients in the query, and losses.

Comparisons of learners are computed from their answers afterwards (`analysis.metrics.alignment`):

    answers = evaluate({"ridge": Ridge(layout, 0.1), "gd": descent}, {"test": task}, jax.random.key(0), 1000)
    differences = align(answers["test"]["gd"], answers["test"]["ridge"])
"""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from lab.learners.learner import Learner, readouts
from lab.runs.memory import evenly, refuse
from tasks.episode import Episode, Inputs, Prompt
from tasks.task import Task

BLOCK = 10_000  # most episodes of a block; each block is drawn from a key of its own
BLOCK_BYTES = 2**30  # most bytes of the episodes of a block
R = TypeVar("R")


@struct.dataclass
class Answers:
    """A learner's answers to B episodes of Q queries; L layers or steps, A and I the widths of an answer and an input.

    readouts: (B, L, Q, A), the answer after each layer or step.
    sensitivity: (B, Q, A, I), the prediction's gradient with respect to the query's distinct inputs, x and, where the
        task has it, z: copies of an input in a token change together. None where it was not computed.
    losses: (B, L), the task's loss after each layer or step, averaged over the queries.
    group: (B,), slopes: (B, Q, I), those of the episodes.
    scores: {name: (B,)}, the task's further scores of the prediction, such as accuracy, averaged over the queries.
    """

    readouts: jax.Array
    sensitivity: jax.Array | None
    losses: jax.Array
    group: jax.Array | None = None
    slopes: jax.Array | None = None
    scores: dict[str, jax.Array] = struct.field(default_factory=dict)

    @property
    def prediction(self) -> jax.Array:
        """(B, Q, A): the answer after the last layer or step."""
        return self.readouts[:, -1]

    @property
    def loss(self) -> jax.Array:
        """(B,): the loss of the prediction."""
        return self.losses[:, -1]


class Runner:
    """Draws episodes and runs programs for `evaluate`: here with `jax.jit`, a whole block of episodes at a time.

    Code that evaluates often overrides it, to keep programs and episodes and to fit the device's memory.
    """

    def run(self, name: str, function: Callable[..., R], *arguments) -> R:
        """Return function(*arguments); functions of one name are the same function."""
        return jax.jit(function)(*arguments)

    def at_a_time(self, name: str, function: Callable, *arguments) -> int:
        """Return how many of the episodes, the last of the arguments, the program takes at a time."""
        return arguments[-1].batch_size

    def draw(self, task: Task, key: jax.Array, index: int, size: int) -> Episode:
        """Return block `index` of the episodes that the key draws from the task."""
        return self.run(f"draw {size}", _draw_block(size), task, key, jnp.uint32(index))

    def group_size(self, structure: object, count: int) -> int:
        """Return how many of `count` learners of one structure one program takes."""
        return count


def evaluate(
    learners: Mapping[str, Learner],
    tasks: Mapping[str, Task],
    key: jax.Array,
    episodes: int,
    sensitivity: bool = True,
    runner: Runner | None = None,
) -> dict[str, dict[str, Answers]]:
    """Return the answers of all learners to the same episodes of each task.

    Learners of one structure (Transformers of one shape, say) share a program.

    Args:
        learners: {name: learner}.
        tasks: {evaluation: task}, for example `task.evaluations()`, or a task under several shifts.
        key: the episodes are a function of it and of their task.
        episodes: B, for each task. They are drawn in blocks, whose size depends on B and on the task alone.
        sensitivity: whether to differentiate the predictions.
        runner: runs the programs; with `jax.jit` by default.

    Returns:
        {evaluation: {learner: Answers}}, with arrays on the host.
    """
    runner = runner or Runner()
    return {name: _evaluate(learners, task, key, episodes, sensitivity, runner) for name, task in tasks.items()}


def _evaluate(
    learners: Mapping[str, Learner], task: Task, key: jax.Array, episodes: int, sensitivity: bool, runner: Runner
) -> dict[str, Answers]:
    blocks, size = block_sizes(task, episodes)
    program = _with_sensitivity if sensitivity else _without_sensitivity
    parts: dict[str, list[Answers]] = {name: [] for name in learners}
    for index in range(blocks):
        block = runner.draw(task, key, index, size)
        for names, group in _groups(learners, runner):
            arguments = ("answers", program, group, task.scoring)
            for part, first_new in _parts(block, size, runner.at_a_time(*arguments, block)):
                answers = jax.device_get(runner.run(*arguments, part))
                for name, each in zip(names, answers, strict=False):  # without the learners that fill up the group
                    parts[name].append(jax.tree.map(lambda leaf, first=first_new: leaf[first:], each))
        if index == 0:
            refuse(sum(leaf.nbytes for leaf in jax.tree.leaves(parts)) * blocks, [episodes])
    return {name: jax.tree.map(lambda *leaves: np.concatenate(leaves)[:episodes], *parts[name]) for name in learners}


def answers_of(learner: Learner, task: Task, episodes: Episode, sensitivity: bool = True) -> Answers:
    """Return the answers of one learner to a batch of episodes (B in front). Traceable."""

    def one_query(query: Inputs, visible: jax.Array | None, prompt: Prompt):
        query, visible = jax.tree.map(lambda a: a[None], (query, visible))
        readouts_LxA = readouts(learner, dataclasses.replace(prompt, query=query, visible=visible))[:, 0]
        return readouts_LxA[-1], readouts_LxA

    def one_prompt(prompt: Prompt):
        if not sensitivity:
            return readouts(learner, prompt), None
        gradient = jax.jacrev(one_query, has_aux=True)
        by_input, readouts_QxLxA = jax.vmap(gradient, in_axes=(0, 0, None))(prompt.query, prompt.visible, prompt)
        return jnp.swapaxes(readouts_QxLxA, 0, 1), jnp.concatenate(jax.tree.leaves(by_input), axis=-1)

    readouts_BxLxQxA, sensitivity_BxQxAxI = jax.vmap(one_prompt)(episodes.prompt)
    by_layer = [losses(task, readouts_BxLxQxA[:, layer], episodes) for layer in range(readouts_BxLxQxA.shape[1])]
    losses_BxL = jnp.stack(by_layer, axis=1)
    scores_BxQ = jax.vmap(task.scores)(readouts_BxLxQxA[:, -1], episodes.target)
    scores_B = {name: jnp.mean(each_BxQ, axis=-1) for name, each_BxQ in scores_BxQ.items()}
    return Answers(readouts_BxLxQxA, sensitivity_BxQxAxI, losses_BxL, episodes.group, episodes.slopes, scores_B)


def losses(task: Task, prediction_BxQxA: jax.Array, episodes: Episode) -> jax.Array:
    """Return the task's loss of each episode, averaged over its queries, (B,)."""
    return jnp.mean(jax.vmap(task.loss)(prediction_BxQxA, episodes.target), axis=-1)


def block_sizes(task: Task, episodes: int) -> tuple[int, int]:
    """Return (number of blocks, episodes per block); what they hold together beyond `episodes` is dropped."""
    return evenly(episodes, max(1, min(BLOCK, BLOCK_BYTES // task.bytes_of(1))))


@functools.cache
def _draw_block(size: int) -> Callable[[Task, jax.Array, jax.Array], Episode]:
    def draw(task: Task, key: jax.Array, index: jax.Array) -> Episode:
        return task.sample(jax.random.fold_in(key, index), size)

    return draw


def _with_sensitivity(group: tuple[Learner, ...], task: Task, episodes: Episode) -> tuple[Answers, ...]:
    return _map_group(lambda learner: answers_of(learner, task, episodes), group)


def _without_sensitivity(group: tuple[Learner, ...], task: Task, episodes: Episode) -> tuple[Answers, ...]:
    return _map_group(lambda learner: answers_of(learner, task, episodes, sensitivity=False), group)


def _map_group(function: Callable[[Learner], Answers], group: tuple[Learner, ...]) -> tuple[Answers, ...]:
    """Map a function over learners of one structure with one vmap, which compiles less than one program for each."""
    if len(group) == 1 or not jax.tree.leaves(group):
        return tuple(function(learner) for learner in group)
    mapped = jax.vmap(function)(jax.tree.map(lambda *leaves: jnp.stack(leaves), *group))
    return tuple(jax.tree.map(lambda leaf, i=i: leaf[i], mapped) for i in range(len(group)))


def _groups(learners: Mapping[str, Learner], runner: Runner) -> Iterator[tuple[list[str], tuple[Learner, ...]]]:
    """Yield groups of learners of one structure, (their names, the learners).

    All groups of a structure have the same number of learners: the last learner is repeated where fewer are left, so
    there may be more learners than names.
    """
    alike: dict[object, list[str]] = {}
    for name, learner in learners.items():
        leaves, structure = jax.tree.flatten(learner)
        alike.setdefault((structure, tuple(jnp.shape(leaf) for leaf in leaves)), []).append(name)
    for structure, names in alike.items():
        size = runner.group_size(structure, len(names))
        for start in range(0, len(names), size):
            chosen = names[start : start + size]
            repeated = chosen[-1:] * (size - len(chosen))
            yield chosen, tuple(learners[name] for name in (*chosen, *repeated))


def _parts(block: Episode, size: int, most: int) -> Iterator[tuple[Episode, int]]:
    """Yield a block of `size` episodes in parts of one size, at most `most`: (part, index of its first new episode).

    The last part begins early where it would be too small; its first episodes were in the part before it.
    """
    _, part = evenly(size, most)
    for begin in range(0, size, part):
        start = min(begin, size - part)
        yield jax.tree.map(lambda leaf, start=start: leaf[start : start + part], block), begin - start
