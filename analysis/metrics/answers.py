"""Several learners on the same episodes: the loss of each, and how one of them aligns with the others."""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import align, answers, losses, mean_and_error
from lab.learners.learner import Learner
from lab.runs.memory import evenly
from tasks.episode import Episode
from tasks.task import Task

BLOCK = 10_000  # episodes that are drawn together, from a key of their own; fewer, where they take more than
BLOCK_BYTES = 2**30


def _jitted(name: object, function: Callable, *arguments):
    return jax.jit(function)(*arguments)


def _all(name: object, function: Callable, *arguments) -> int:
    return arguments[-1].batch_size


def compare(
    learners: Mapping[str, Learner],
    subject: str,
    task: Task,
    key: jax.Array,
    episodes: int,
    run: Callable = _jitted,
    fit: Callable[..., int] = _all,
) -> dict:
    """{"loss": {name: statistics}, "layers": {name: [statistics of the loss after each layer or step]},
    "alignment": {other name: {metric: statistics}}}, all on the same `episodes` episodes, a function of the key.

    The alignments are those of `subject` with each other; `loss_difference` among them is subject minus other, paired.
    Statistics: `mean`, `stderr`, `left_out` (see `mean_and_error`). Episodes are drawn and measured by two programs,
    which `run(name, function, *arguments)` compiles and calls, so that whoever compares often compiles once. They are
    drawn in blocks that depend on the task alone; of the episodes of a block, the last of the arguments,
    `fit(name, function, *arguments)` says how many are measured at a time, which changes no result but in rounding.
    """
    blocks, size = sizes(task, episodes)

    def measured(learners: Mapping[str, Learner], task: Task, batch: Episode) -> dict:
        return measure(learners, subject, task, batch)

    values = []
    for index in range(blocks):
        batch = drawn(task, key, index, size, run)
        for part, new in _parts(batch, size, fit("measure", measured, learners, task.scoring, batch)):
            measurements = jax.device_get(run("measure", measured, learners, task.scoring, part))
            values.append(jax.tree.map(lambda values_B, new=new: values_B[new:], measurements))
    return jax.tree.map(lambda *parts: mean_and_error(np.concatenate(parts)[:episodes]), *values)


def sizes(task: Task, episodes: int) -> tuple[int, int]:
    """How many blocks, and the size of each; what they hold together beyond `episodes` is dropped."""
    return evenly(episodes, max(1, min(BLOCK, BLOCK_BYTES // task.bytes_of(1))))


def drawn(task: Task, key: jax.Array, index: int, size: int, run: Callable = _jitted) -> Episode:
    """A block of the validation episodes."""

    def draw(task: Task, key: jax.Array, index: jax.Array) -> Episode:
        return task.sample(jax.random.fold_in(key, index), size)

    return run(("draw", size), draw, task, key, jnp.uint32(index))


def _parts(batch: Episode, size: int, most: int):
    """(episodes, where those begin that were in none before), parts of one size that is at most `most`."""
    _, part = evenly(size, most)
    for begin in range(0, size, part):
        start = min(begin, size - part)
        yield jax.tree.map(lambda leaf, start=start: leaf[start : start + part], batch), begin - start


def measure(learners: Mapping[str, Learner], subject: str, task: Task, batch: Episode) -> dict:
    """What `compare` takes the statistics of, one number per episode (B,)."""
    answered = vmap_learners(lambda learner: answers(learner, batch.prompt), learners)
    layers = {
        name: [losses(task, answer.readouts[:, layer], batch) for layer in range(answer.readouts.shape[1])]
        for name, answer in answered.items()
    }
    loss = {name: by_layer[-1] for name, by_layer in layers.items()}
    alignment = {
        other: align(answered[subject], answer) | {"loss_difference": loss[subject] - loss[other]}
        for other, answer in answered.items()
        if other != subject
    }
    return {"loss": loss, "layers": layers, "alignment": alignment}


def vmap_learners(function: Callable[[Learner], object], learners: Mapping[str, Learner]) -> dict[str, object]:
    """{name: function(learner)}; learners of one structure (Transformers of one shape) go side by side in one vmap, so
    that there is less to compile than for each apart."""
    alike: dict[object, list[str]] = {}
    for name, learner in learners.items():
        leaves, structure = jax.tree.flatten(learner)
        alike.setdefault((structure, tuple(jnp.shape(leaf) for leaf in leaves)), []).append(name)
    results = {}
    for names in alike.values():
        if len(names) == 1:
            results[names[0]] = function(learners[names[0]])
            continue
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(learners[name] for name in names))
        mapped = jax.vmap(function)(stacked)
        results |= {name: jax.tree.map(lambda leaf, i=i: leaf[i], mapped) for i, name in enumerate(names)}
    return {name: results[name] for name in learners}
