"""`decision_tree`: f(x) is the value of the leaf of a full binary tree that x reaches [Garg22]. E f^2 = 1.

Every inner node has a uniformly drawn coordinate, and x goes right if that coordinate of x is above 0. The values of
the leaves are N(0, 1), x ~ N(0, I). Nodes are numbered level by level from the root: the children of node i are
2 i + 1 and 2 i + 2. The Bayes-optimal answer is known where all trees can be listed (`tree_posterior`).

>>> import jax
>>> [leaf.shape for leaf in DecisionTree(depth=3).draw(jax.random.key(0), 2)]
[(2, 7), (2, 8)]
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Prompt, visible_or_all
from tasks.flat_random import normal
from tasks.functions import tree_posterior
from tasks.functions.real import RealFunctions
from tasks.task import pytree


@pytree
class DecisionTree(settings.DecisionTree, RealFunctions):
    @property
    def second_moment(self) -> int:
        return 1

    def draw(self, key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
        """Return the coordinates of inner nodes (count, 2^depth - 1) and the values of leaves (count, 2^depth)."""
        key_nodes, key_leaves = jax.random.split(key)
        leaves = 2**self.depth
        coordinates = jax.random.randint(key_nodes, (count, leaves - 1), 0, self.input_dim)
        return coordinates, normal(key_leaves, (count, leaves))[0]

    def apply(self, weights: tuple[jax.Array, jax.Array], x_NxX: jax.Array) -> jax.Array:
        coordinates, leaves = weights
        node_N = jnp.zeros(len(x_NxX), int)
        for _ in range(self.depth):
            coordinate_N = jnp.take_along_axis(x_NxX, coordinates[node_N][:, None], axis=1)[:, 0]
            node_N = 2 * node_N + 1 + (coordinate_N > 0)
        return leaves[node_N - len(coordinates)]

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal answer (Q, 1).

        Raises:
            NotImplementedError: there are too many trees to list them.
        """
        if not tree_posterior.can_be_listed(self.input_dim, self.depth):
            raise NotImplementedError
        x, y, query = prompt.context.x, prompt.answers[:, 0], prompt.query.x
        return tree_posterior.answer(x, y, query, visible_or_all(prompt), self.depth, self.noise)[:, None]
