"""The measurements of a learner on a block of episodes. Shape suffixes: B episodes, N examples, X width of an input.

influence: the derivative of the answer in the target of each example, (B, N).
slope: the derivative of the answer in the query's input, (B, X).
spread, size: the variance of the answer over random orders of the examples, and its mean square, (B,) each.
gates: of one layer, the rate, decay and momentum at each place, (B, 3, N). A layer's rate is times |k|^2 / |x|^2, as
    its keys may be longer than the inputs.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp

from analysis.metrics.order import in_orders, random_orders, spread_and_size
from lab.learners.fast_weight_transformer import FastWeightTransformer
from lab.learners.learner import Learner, predict
from lab.learners.online.learner import OnlineLearner
from tasks.episode import Inputs, Prompt
from tasks.task import Task

Block = dict[str, dict[str, jax.Array]]  # {learner: {measurement: array}}


@functools.partial(jax.jit, static_argnames=("episodes", "orders"))
def measured(learners: dict[str, Learner], task: Task, key: jax.Array, episodes: int, orders: int) -> Block:
    """Return the measurements of all learners on the same episodes and orders."""
    key_episodes, key_orders = jax.random.split(key)
    batch = task.sample(key_episodes, episodes)
    count = batch.prompt.answers.shape[1]
    order_PxN = random_orders(key_orders, count, orders)

    def of_one(learner: Learner) -> dict[str, jax.Array]:
        def of_episode(prompt: Prompt, target_QxY: jax.Array) -> dict[str, jax.Array]:
            spread, size = spread_and_size(in_orders(learner, prompt, order_PxN))
            by_target_NxY, by_input_QxX = jax.grad(_answer, (0, 1))(prompt.answers, prompt.query.x, learner, prompt)
            return {
                "error": jnp.sum((learner(prompt) - target_QxY) ** 2),
                "spread": spread,
                "size": size,
                "influence": by_target_NxY[:, 0],
                "slope": by_input_QxX[0],
                **_gates(learner, prompt),
            }

        return jax.vmap(of_episode)(batch.prompt, batch.target)

    return {name: of_one(learner) for name, learner in learners.items()}


@functools.partial(jax.jit, static_argnames="episodes")
def errors(learners: dict[str, Learner], task: Task, keys: jax.Array, episodes: int) -> dict[str, jax.Array]:
    """Return mean squared errors (P,) of learners with an axis P of seeds in front, on episodes of each key (P,)."""

    def of_seed(learners: dict[str, Learner], key: jax.Array) -> dict[str, jax.Array]:
        batch = task.sample(key, episodes)
        answers = {name: predict(learner, batch.prompt) for name, learner in learners.items()}
        return {name: jnp.mean(jnp.sum((each - batch.target) ** 2, axis=(1, 2))) for name, each in answers.items()}

    return jax.vmap(of_seed)(learners, keys)


def _answer(answers_NxY: jax.Array, query_QxX: jax.Array, learner: Learner, prompt: Prompt) -> jax.Array:
    return learner(dataclasses.replace(prompt, answers=answers_NxY, query=Inputs(query_QxX)))[0, 0]


def _gates(learner: Learner, prompt: Prompt) -> dict[str, jax.Array]:
    if isinstance(learner, OnlineLearner):
        gates = learner.gates(jnp.concatenate([prompt.context.x, prompt.answers], axis=1))
        return {"gates": jnp.stack([gate[0] for gate in gates])}
    if isinstance(learner, FastWeightTransformer) and len(learner.blocks) == 1:
        (block,) = learner.blocks
        tokens = block.tokens(learner.shape.layout.context_tokens(prompt))
        longer_N = jnp.sum(tokens.keys[0] ** 2, axis=1) / jnp.sum(prompt.context.x**2, axis=1)
        return {"gates": jnp.stack([tokens.rates[0] * longer_N, tokens.decays[0], tokens.momenta[0]])}
    return {}
