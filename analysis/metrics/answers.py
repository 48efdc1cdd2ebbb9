"""The answers of learners to the same episodes: predictions, their gradients in the query, and losses.

All that is compared is computed from answers afterwards (`analysis.metrics.alignment`):

    answers = evaluate({"ridge": Ridge(layout, 0.1), "gd": descent}, {"test": task}, jax.random.key(0), 1000)
    differences = align(answers["test"]["gd"], answers["test"]["ridge"])
"""

import functools
from collections.abc import Callable, Iterator, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from lab.learners.learner import Learner, readouts
from lab.runs.memory import evenly
from tasks.episode import Episode, Inputs, Prompt
from tasks.task import Task

BLOCK = 10_000  # episodes that are drawn together, from a key of their own; fewer, where they take more than
BLOCK_BYTES = 2**30


@struct.dataclass
class Answers:
    """A learner's answers to B episodes of Q queries; L layers or steps, A and I the widths of an answer and an input.

    readouts: (B, L, Q, A), the answer after each layer or step.
    sensitivity: (B, Q, A, I), the prediction's gradient in the query's distinct inputs, x and, where the task has it,
        z: copies of an input in a token move together. None where it was not asked for.
    losses: (B, L), the task's loss after each layer or step, averaged over the queries.
    group: (B,), slopes: (B, Q, I), as the episodes have them.
    scores: {name: (B,)}, what else the task judges predictions by, averaged over the queries.
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
    """How `evaluate` draws episodes and runs programs: here with `jax.jit`, a whole block of episodes at a time.

    Whoever evaluates often overrides it, to keep programs and episodes and to fit the device's memory.
    """

    def run(self, name: str, function: Callable, *arguments):
        """function(*arguments); functions of one name are the same function."""
        return jax.jit(function)(*arguments)

    def at_a_time(self, name: str, function: Callable, *arguments) -> int:
        """How many of the episodes, the last of the arguments, the program takes at a time."""
        return arguments[-1].batch_size

    def draw(self, task: Task, key: jax.Array, index: int, size: int) -> Episode:
        """Block `index` of the episodes that the key draws from the task."""
        return self.run(f"draw {size}", _draw_block(size), task, key, jnp.uint32(index))

    def group_size(self, structure: object, count: int) -> int:
        """Of `count` learners of one structure, how many one program takes."""
        return count


def evaluate(
    learners: Mapping[str, Learner],
    tasks: Mapping[str, Task],
    key: jax.Array,
    episodes: int,
    sensitivity: bool = True,
    runner: Runner | None = None,
) -> dict[str, dict[str, Answers]]:
    """The answers of all learners to the same episodes of each task.

    Learners of one structure (Transformers of one shape, say) share a program.

    Args:
        learners: {name: learner}.
        tasks: {evaluation: task}, for example `task.evaluations()`, or a task under several shifts.
        key: the episodes are a function of it and of their task.
        episodes: B, for each task. They are drawn in blocks, whose size depends on the task alone.
        sensitivity: whether to differentiate the predictions.
        runner: how programs are run; with `jax.jit` by default.

    Returns:
        {evaluation: {learner: Answers}}, arrays on the host.
    """
    runner = runner or Runner()
    return {name: _evaluate(learners, task, key, episodes, sensitivity, runner) for name, task in tasks.items()}


def _evaluate(learners, task: Task, key, episodes: int, sensitivity: bool, runner: Runner) -> dict[str, Answers]:
    blocks, size = block_sizes(task, episodes)
    program = _with_sensitivity if sensitivity else _without_sensitivity
    parts: dict[str, list[Answers]] = {name: [] for name in learners}
    for index in range(blocks):
        block = runner.draw(task, key, index, size)
        for names, group in _groups(learners, runner):
            arguments = ("answers", program, group, task.scoring)
            for part, first_new in _parts(block, size, runner.at_a_time(*arguments, block)):
                answers = jax.device_get(runner.run(*arguments, part))
                for name, each in zip(names, answers, strict=False):  # without the repeated ones
                    parts[name].append(jax.tree.map(lambda leaf, first=first_new: leaf[first:], each))
    return {name: jax.tree.map(lambda *leaves: np.concatenate(leaves)[:episodes], *parts[name]) for name in learners}


def answers_of(learner: Learner, task: Task, episodes: Episode, sensitivity: bool = True) -> Answers:
    """The answers of one learner to a batch of episodes (B in front). Traceable."""

    def one_query(query: Inputs, visible: jax.Array | None, prompt: Prompt):
        query, visible = jax.tree.map(lambda a: a[None], (query, visible))
        readouts_LxA = readouts(learner, prompt.replace(query=query, visible=visible))[:, 0]
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
    """(B,): the task's loss of each episode, averaged over its queries."""
    return jnp.mean(jax.vmap(task.loss)(prediction_BxQxA, episodes.target), axis=-1)


def block_sizes(task: Task, episodes: int) -> tuple[int, int]:
    """How many blocks, and the size of each; what they hold together beyond `episodes` is dropped."""
    return evenly(episodes, max(1, min(BLOCK, BLOCK_BYTES // task.bytes_of(1))))


@functools.cache
def _draw_block(size: int) -> Callable:
    def draw(task: Task, key: jax.Array, index: jax.Array) -> Episode:
        return task.sample(jax.random.fold_in(key, index), size)

    return draw


def _with_sensitivity(group: tuple[Learner, ...], task: Task, episodes: Episode) -> tuple[Answers, ...]:
    return _map_group(lambda learner: answers_of(learner, task, episodes), group)


def _without_sensitivity(group: tuple[Learner, ...], task: Task, episodes: Episode) -> tuple[Answers, ...]:
    return _map_group(lambda learner: answers_of(learner, task, episodes, sensitivity=False), group)


def _map_group(function: Callable[[Learner], Answers], group: tuple[Learner, ...]) -> tuple[Answers, ...]:
    """Learners of one structure side by side in one vmap: there is less to compile than for each apart."""
    if len(group) == 1 or not jax.tree.leaves(group):
        return tuple(function(learner) for learner in group)
    mapped = jax.vmap(function)(jax.tree.map(lambda *leaves: jnp.stack(leaves), *group))
    return tuple(jax.tree.map(lambda leaf, i=i: leaf[i], mapped) for i in range(len(group)))


def _groups(learners: Mapping[str, Learner], runner: Runner) -> Iterator[tuple[list[str], tuple[Learner, ...]]]:
    """(names, their learners), all of one structure. The groups of a structure have one size: where fewer learners are
    left, the last is repeated."""
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
    """(episodes, where those begin that were in no part before): parts of one size that is at most `most`."""
    _, part = evenly(size, most)
    for begin in range(0, size, part):
        start = min(begin, size - part)
        yield jax.tree.map(lambda leaf, start=start: leaf[start : start + part], block), begin - start
