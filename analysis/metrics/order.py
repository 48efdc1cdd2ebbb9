"""Order sensitivity: by how much a learner's answer depends on the order of the examples in its prompt.

    sqrt( mean over prompts of Var_p a_p  /  mean over prompts of E_p |a_p|^2 ),    a_p: the answer in order p.

0 for a learner of a set, such as batch gradient descent, GD++ or ridge regression; about 1 where answers in two
orders have nothing in common. Shen et al. 2023 (arXiv 2310.08540) name it as a difference between learning in context
and gradient descent. For language models `language_finetune` has the spread alone, of probabilities of right answers.

Shape suffixes: B prompts, P orders, N examples, Q queries, A width of an answer.
"""

import dataclasses

import jax
import jax.numpy as jnp

from lab.learners.learner import Learner
from tasks.episode import Prompt


def order_sensitivity(learner: Learner, prompts: Prompt, key: jax.Array, orders: int = 8) -> jax.Array:
    """Return the order sensitivity of a learner, (), from the same random orders in each of a batch of prompts.

    Args:
        orders: their number P, at least 2. They may repeat.
    """
    order_PxN = random_orders(key, prompts.answers.shape[1], orders)
    spread_B, size_B = jax.vmap(lambda prompt: spread_and_size(in_orders(learner, prompt, order_PxN)))(prompts)
    return sensitivity(spread_B, size_B)


def sensitivity(spread_B: jax.Array, size_B: jax.Array) -> jax.Array:
    """Return the order sensitivity, (), from the spread and the size of each prompt's answers."""
    return jnp.sqrt(jnp.mean(spread_B) / jnp.mean(size_B))


def random_orders(key: jax.Array, count: int, orders: int) -> jax.Array:
    """Return random orders of `count` examples, (P, N)."""
    return jax.vmap(lambda key: jax.random.permutation(key, count))(jax.random.split(key, orders))


def in_orders(learner: Learner, prompt: Prompt, order_PxN: jax.Array) -> jax.Array:
    """Return the learner's answers to one prompt with its examples in each order, (P, Q, A)."""
    return jax.vmap(lambda order_N: learner(reordered(prompt, order_N)))(order_PxN)


def reordered(prompt: Prompt, order_N: jax.Array) -> Prompt:
    """Return a prompt with its examples in another order; queries see the same examples as before."""
    return dataclasses.replace(
        prompt,
        context=jax.tree.map(lambda leaf: leaf[order_N], prompt.context),
        answers=prompt.answers[order_N],
        visible=None if prompt.visible is None else prompt.visible[:, order_N],
    )


def spread_and_size(answers_PxQxA: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the variance of a prompt's answers over orders (estimated with P - 1) and their mean square, () each."""
    return jnp.sum(jnp.var(answers_PxQxA, axis=0, ddof=1)), jnp.mean(jnp.sum(answers_PxQxA**2, axis=(1, 2)))
