"""Several learners on the same episodes: the loss of each, and how one of them aligns with the others."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp

from analysis.alignment import align, answers, losses, mean_and_error
from lab.learners.learner import Learner
from tasks.task import Task

CHUNK = 10_000  # episodes in memory at a time


def compare(
    learners: Mapping[str, Learner], subject: str, against: tuple[str, ...], task: Task, key: jax.Array, episodes: int
) -> dict:
    """{"loss": {name: statistics}, "alignment": {name: {metric: statistics}}}, all on the same `episodes` episodes.

    The alignments are those of `subject` with each of `against`; `loss_difference` among them is subject minus other,
    paired. Statistics: `mean`, `stderr`, `left_out` (see `mean_and_error`). The episodes are a function of the key.
    """

    chunks = -(-episodes // CHUNK)
    size = -(-episodes // chunks)  # of each chunk; what they hold together beyond `episodes` is dropped

    def chunk(index) -> dict:
        batch = task.sample(jax.random.fold_in(key, index), size)
        said = {name: answers(learner, batch) for name, learner in learners.items()}
        loss = {name: losses(task, answer, batch) for name, answer in said.items()}
        alignment = {
            other: align(said[subject], said[other]) | {"loss_difference": loss[subject] - loss[other]}
            for other in against
        }
        return {"loss": loss, "alignment": alignment}

    values = jax.lax.map(chunk, jnp.arange(chunks))
    return jax.tree.map(lambda v: mean_and_error(v.ravel()[:episodes]), values)
