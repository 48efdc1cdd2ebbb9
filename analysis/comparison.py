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
    """{"loss": {name: statistics}, "layers": {name: [statistics of the loss after each layer or step]},
    "alignment": {name: {metric: statistics}}}, all on the same `episodes` episodes.

    The alignments are those of `subject` with each of `against`; `loss_difference` among them is subject minus other,
    paired. Statistics: `mean`, `stderr`, `left_out` (see `mean_and_error`). The episodes are a function of the key.
    """

    def measure(batch: Episode) -> dict:
        said = of_each(lambda learner: answers(learner, batch), learners)
        layers = {
            name: [losses(task, said_BxLxQxY[:, layer], batch) for layer in range(said_BxLxQxY.shape[1])]
            for name, said_BxLxQxY in ((name, answer.readouts) for name, answer in said.items())
        }
        loss = {name: of[-1] for name, of in layers.items()}
        alignment = {
            other: align(said[subject], said[other]) | {"loss_difference": loss[subject] - loss[other]}
            for other in against
        }
        return {"loss": loss, "layers": layers, "alignment": alignment}

    return _statistics(measure, task, key, episodes)


def of_each(function: Callable[[Learner], object], learners: Mapping[str, Learner]) -> dict[str, object]:
    """{name: function(learner)}; learners of one structure (Transformers of one shape) go side by side in one vmap, so
    that there is less to compile than for each apart."""
    alike: dict[object, list[str]] = {}
    for name, learner in learners.items():
        leaves, structure = jax.tree.flatten(learner)
        alike.setdefault((structure, tuple(jnp.shape(leaf) for leaf in leaves)), []).append(name)
    found = {}
    for names in alike.values():
        if len(names) == 1:
            found[names[0]] = function(learners[names[0]])
            continue
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(learners[name] for name in names))
        said = jax.vmap(function)(stacked)
        found |= {name: jax.tree.map(lambda leaf, i=i: leaf[i], said) for i, name in enumerate(names)}
    return {name: found[name] for name in learners}


def _statistics(measure: Callable[[Episode], dict], task: Task, key: jax.Array, episodes: int) -> dict:
    """Mean and standard error of all that is measured, (B,) a batch, over `episodes` episodes drawn in chunks."""
    chunks = -(-episodes // CHUNK)
    size = -(-episodes // chunks)  # of each chunk; what they hold together beyond `episodes` is dropped
    values = jax.lax.map(lambda index: measure(task.sample(jax.random.fold_in(key, index), size)), jnp.arange(chunks))
    leaves, structure = jax.tree.flatten(values)
    # side by side, since a mean of its own for each of them takes longer to compile than all the learners
    found = jax.vmap(mean_and_error)(jnp.stack([leaf.ravel()[:episodes] for leaf in leaves]))
    each = [jax.tree.map(lambda leaf, i=i: leaf[i], found) for i in range(len(leaves))]
    return jax.tree.unflatten(structure, each)
