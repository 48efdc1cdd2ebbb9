"""`momentum_attention`: decoders that predict sequences, with and without momentum beside their attention.

Variants and seeds of one kind of positions train side by side in one program. All decoders of a seed start from the
same weights, see the same batches, and are measured on the same sequences, so they differ in what is compared alone.
"""

import functools
from collections.abc import Iterator, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from experiments.momentum_attention import rows
from experiments.momentum_attention.settings import MomentumAttention
from experiments.momentum_attention.variants import Variant, decoder_of, etas, variants
from lab.config.choices import Position
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.layouts.merged_sequence import Merged
from lab.learners.decoder import Shape
from lab.learners.learner import predict
from lab.runs import console, interrupt
from lab.runs.memory import enough_memory
from tasks.catalogue import TASKS
from tasks.symbols import Symbols
from tasks.task import Task
from trainers import meta
from trainers.recipe import Recipe
from trainers.record import Record
from trainers.streams import Stream

States = meta.TrainState  # with axes for seeds and variants in front


def run(records: Sequence[Record]) -> None:
    """Write the tables `curves` and `etas`, and headline numbers.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
    """
    for record in records:
        settings: MomentumAttention = record.settings
        curve_rows, eta_rows = [], []
        evaluations = 1 + settings.train.steps // settings.train.eval_every
        total = len(settings.positions) * evaluations
        with console.counting_bar("training", total) as advance, enough_memory("lower seeds or episodes"):
            for positions in settings.positions:
                for step, losses, learned in trained(settings, positions):
                    curve_rows += rows.curve_rows(settings, positions, step, losses)
                    eta_rows += rows.eta_rows(settings, positions, step, learned)
                    advance(f"training, positions {positions.value}")
        record.table("curves", curve_rows)
        record.table("etas", eta_rows)
        record.numbers(rows.numbers(settings, curve_rows))


def check(settings: MomentumAttention) -> None:
    """
    Raises:
        ConfigError: the task has no sequences.
    """
    if not issubclass(TASKS[settings.task.name], Symbols):
        allowed = ", ".join(name for name, task in TASKS.items() if issubclass(task, Symbols))
        raise ConfigError(f"task={settings.task.name}: its queries are no sequence; allowed: {allowed}")


def trained(settings: MomentumAttention, positions: Position) -> Iterator[tuple[int, dict, np.ndarray]]:
    """At each evaluation the step; {name: losses (seeds,)} of all variants and of the floor; and the learned eta
    (seeds, variants, layers, heads)."""
    (task,) = TASKS[settings.task.name].together([settings.task])
    recipe = Recipe.of(settings.train, settings.model.num_layers)
    shape, named = shape_of(settings, positions, task), variants(settings.eta)
    together = jax.tree.map(lambda *each: jnp.stack(each), *named.values())
    keys = jax.vmap(jax.random.key)(settings.seed + jnp.arange(settings.seeds))
    states = _begin(shape, together, recipe, keys)
    for step in range(0, settings.train.steps + 1, settings.train.eval_every):
        interrupt.check()
        if step:
            states = _train(states, task, recipe, keys, settings.train.eval_every)
        losses, floor, learned = jax.device_get(_evaluate(states, task, keys, settings.episodes))
        yield step, {rows.FLOOR: floor} | dict(zip(named, losses.T, strict=True)), learned


def shape_of(settings: MomentumAttention, positions: Position, task: Task) -> Shape:
    """The decoder's static structure."""
    layout = Merged(TokenLayout.of(task))
    return Shape.of(settings.model, layout, task.num_context, instructions=0, positions=positions)


@functools.partial(jax.jit, static_argnames=("shape",))
def _begin(shape: Shape, together: Variant, recipe: Recipe, keys_P: jax.Array) -> States:
    def begin_one(variant: Variant, key: jax.Array) -> meta.TrainState:
        return meta.begin(functools.partial(decoder_of, shape, variant), recipe, key)

    return jax.vmap(jax.vmap(begin_one, in_axes=(0, None)), in_axes=(None, 0))(together, keys_P)


@functools.partial(jax.jit, static_argnames=("steps",), donate_argnames=("states",))
def _train(states: States, task: Task, recipe: Recipe, keys_P: jax.Array, steps: int) -> States:
    def train_one(state: meta.TrainState, key: jax.Array) -> meta.TrainState:
        return meta.train(state, task, recipe, key, steps)[0]

    return jax.vmap(jax.vmap(train_one, in_axes=(0, None)))(states, keys_P)


@functools.partial(jax.jit, static_argnames=("count",))
def _evaluate(states: States, task: Task, keys_P: jax.Array, count: int) -> tuple[jax.Array, ...]:
    """Mean losses (seeds, variants), those of the floor (seeds,), and eta (seeds, variants, L, H)."""

    def of_seed(learners, key: jax.Array):
        episodes = task.sample(jax.random.fold_in(key, Stream.validation), count)

        def loss(answers_BxQxA: jax.Array) -> jax.Array:
            return jnp.mean(jax.vmap(task.loss)(answers_BxQxA, episodes.target))

        losses = jax.lax.map(lambda learner: loss(predict(learner, episodes.prompt)), learners)
        return losses, loss(jax.vmap(task.optimal)(episodes.prompt)), jax.vmap(etas)(learners)

    return jax.vmap(of_seed)(states.learner, keys_P)
