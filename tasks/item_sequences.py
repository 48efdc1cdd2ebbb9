"""`items`: users take items from one catalogue, one after the other, and the next item is to be predicted.

For a user whose last item was i, item j has at time t the utility

    popularity (b_j + trend (2 t - 1) c_j) + habit <l_i, r_j> / sqrt(d) + taste <z, e_j> / sqrt(d)

and the next item is drawn from the softmax of the utilities. b, c, l, r, e are standard normal and the same for all
users (`world`). The taste z of a user is a stationary autoregression, z' = sqrt(1 - drift) z + sqrt(drift) noise,
z ~ N(0, I). Users arrive at times that are uniform in [0, 1 - visit], and their items are spread evenly over a visit.
So the next item depends on the popularity of items, on the item before, and on the user's taste, and on nothing else.

>>> import jax
>>> episodes = Items(num_context=6).sample(jax.random.key(0), batch=3)
>>> episodes.prompt.context.x.shape, episodes.target.shape
((3, 6, 200), (3, 6))
"""

import math

import jax
import jax.numpy as jnp
from flax import struct

from tasks import settings
from tasks.classification import Classification
from tasks.flat_random import normal
from tasks.logs.items import PADDING as PADDING
from tasks.symbols import Symbols, inverse_cdf
from tasks.task import pytree

FIRST = 1  # folded into the key of tastes, for those that users begin with


@struct.dataclass
class ItemLog:
    """The items that U users took.

    items: (U, T) numbers of items, `PADDING` after a user's last. times: (U, T), from 0 to 1.
    utility: (U, T, C) of every item at each place, which no learner is given; None where it is not known.
    """

    items: jax.Array
    times: jax.Array
    utility: jax.Array | None = None


@pytree
class Items(settings.Items, Symbols):
    @property
    def num_symbols(self) -> int:
        return self.num_items

    def draw(self, key: jax.Array, batch: int) -> jax.Array:
        return self.log(key, batch).items

    def log(self, key: jax.Array, users: int) -> ItemLog:
        """Return the log of `users` independent users, each of whom takes N + 1 items."""
        length, width = self.num_context + 1, self.taste_dim
        key_taste, key_start, key_items = jax.random.split(key, 3)
        (noise_TxUxD,) = normal(key_taste, (length, users, width))
        start_U = (1 - self.visit) * jax.random.uniform(key_start, (users,))
        times_TxU = start_U[None] + self.visit * jnp.linspace(0, 1, length)[:, None]
        uniform_TxU = jax.random.uniform(key_items, (length * users,)).reshape(length, users)
        popular_C, trend_C, after_CxC, liked_CxD = self.world_tables

        def step(carry, each):
            z_UxD, last_U = carry
            noise_UxD, time_U, uniform_U = each
            utility_UxC = popular_C[None] + (2 * time_U - 1)[:, None] * trend_C[None] + z_UxD @ liked_CxD.T
            utility_UxC += jnp.where(last_U[:, None] >= 0, after_CxC[last_U], 0.0)  # nothing comes before the first
            next_U = inverse_cdf(jax.nn.softmax(utility_UxC, axis=-1), uniform_U)
            z_UxD = jnp.sqrt(1 - self.drift) * z_UxD + jnp.sqrt(self.drift) * noise_UxD
            return (z_UxD, next_U), (next_U, utility_UxC)

        first = jax.random.normal(jax.random.fold_in(key_taste, FIRST), (users, width)), jnp.full(users, PADDING)
        _, (items_TxU, utility_TxUxC) = jax.lax.scan(step, first, (noise_TxUxD, times_TxU, uniform_TxU))
        return ItemLog(items_TxU.T, times_TxU.T, jnp.swapaxes(utility_TxUxC, 0, 1))

    @property
    def world_tables(self) -> tuple[jax.Array, ...]:
        """Return the terms of the utility that `world` fixes: popularity (C,), its trend (C,), the utility after each
        item (C, C), and the items' features that tastes weigh (C, D)."""
        count, width = self.num_items, self.taste_dim
        sizes = ((count,), (count,), (count, width), (count, width), (count, width))
        b_C, c_C, l_CxD, r_CxD, e_CxD = normal(jax.random.key(self.world), *sizes)
        after_CxC = self.habit / math.sqrt(width) * l_CxD @ r_CxD.T
        popular_C, trend_C = self.popularity * b_C, self.popularity * self.trend * c_C
        return popular_C, trend_C, after_CxC, self.taste / math.sqrt(width) * e_CxD


@struct.dataclass
class Logged(Symbols):
    """Logged sequences (U, T) as a task: an episode is one of them, each equally likely.

    All items but the first are targets. Padding is not a target and adds nothing to a loss.
    """

    sequences: jax.Array
    num_symbols: int = struct.field(pytree_node=False)

    @property
    def num_context(self) -> int:
        return self.sequences.shape[1] - 1

    def draw(self, key: jax.Array, batch: int) -> jax.Array:
        return self.sequences[jax.random.randint(key, (batch,), 0, len(self.sequences))]

    def loss(self, answer_QxC: jax.Array, item_Q: jax.Array) -> jax.Array:
        """Return the cross-entropy (Q,) of the classification, and 0 for padding."""
        return jnp.where(item_Q == PADDING, 0.0, Classification.loss(self, answer_QxC, jnp.maximum(item_Q, 0)))
