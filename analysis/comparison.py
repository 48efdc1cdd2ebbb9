"""Several learners on the same episodes: the loss of each, and how one of them aligns with the others."""

from collections.abc import Callable, Mapping, Sequence

import jax
import jax.numpy as jnp

from analysis.alignment import align, answers, losses, mean_and_error
from lab.learners.learner import Learner
from tasks.episode import Episode
from tasks.task import Task

CHUNK = 10_000  # episodes in memory at a time


def compare(
    learners: Mapping[str, Learner], subject: str, against: Sequence[str], task: Task, key: jax.Array, episodes: int
) -> dict:
    """{"loss": {name: statistics}, "alignment": {name: {metric: statistics}}}, all on the same `episodes` episodes.

    The alignments are those of `subject` with each of `against`; `loss_difference` among them is subject minus other,
    paired. Statistics: `mean`, `stderr`, `left_out` (see `mean_and_error`). The episodes are a function of the key.
    """

    def measure(batch: Episode) -> dict:
        said = {name: answers(learner, batch) for name, learner in learners.items()}
        loss = {name: losses(task, answer.prediction, batch) for name, answer in said.items()}
        alignment = {
            other: align(said[subject], said[other]) | {"loss_difference": loss[subject] - loss[other]}
            for other in against
        }
        return {"loss": loss, "alignment": alignment}

    return _statistics(measure, task, key, episodes)


def compare_readouts(learners: Mapping[str, Learner], task: Task, key: jax.Array, episodes: int) -> dict:
    """{name: [statistics of the loss after each layer or step]}, on the episodes that `compare` uses for that key."""

    def measure(batch: Episode) -> dict:
        readouts = {name: jax.vmap(learner.readouts)(batch) for name, learner in learners.items()}
        return {
            name: [losses(task, said_BxLxQxY[:, layer], batch) for layer in range(said_BxLxQxY.shape[1])]
            for name, said_BxLxQxY in readouts.items()
        }

    return _statistics(measure, task, key, episodes)


def _statistics(measure: Callable[[Episode], dict], task: Task, key: jax.Array, episodes: int) -> dict:
    """Mean and standard error of all that is measured, (B,) a batch, over `episodes` episodes drawn in chunks."""
    chunks = -(-episodes // CHUNK)
    size = -(-episodes // chunks)  # of each chunk; what they hold together beyond `episodes` is dropped
    values = jax.lax.map(lambda index: measure(task.sample(jax.random.fold_in(key, index), size)), jnp.arange(chunks))
    return jax.tree.map(lambda v: mean_and_error(v.ravel()[:episodes]), values)
