"""`clicks`: a click depends on the item's category and brand and on the user's taste at that time.

    p(y = 1) = sigmoid(M1[z, a] + M2[z, b]),   entries of M1 and M2 ~ N(0, beta^2)

Given the taste, interactions are independent, so the evidence about a constant taste is a sum over a user's clicks.

>>> import jax
>>> episodes = Clicks(num_context=3, num_targets=5).sample(jax.random.key(0), batch=2)
>>> episodes.prompt.context.x.shape, episodes.prompt.visible.shape, episodes.target.shape
((2, 8, 2), (2, 5, 8), (2, 5))
"""

import math

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.click_streams import Tastes
from tasks.flat_random import normal
from tasks.task import pytree


@pytree
class Clicks(settings.Clicks, Tastes):
    def logits(self) -> jax.Array:
        shapes = (self.num_tastes, self.num_categories), (self.num_tastes, self.num_brands)
        of_category_ZxA, of_brand_ZxB = normal(jax.random.key(self.world), *shapes)
        logit_ZxAxB = self.strength * (of_category_ZxA[:, :, None] + of_brand_ZxB[:, None])
        return jnp.repeat(logit_ZxAxB[:, None], self.num_categories, axis=1)


@pytree
class OrderedClicks(settings.OrderedClicks, Tastes):
    """`ordered_clicks`: a click depends on the category a of an earlier item and on the brand b of the item itself.

        p(y_t = 1) = sigmoid(sqrt(2) M[z_t, a_(t-l), b_t]),   entries of M ~ N(0, beta^2)

    The earlier item is the one before, or the one l = `lag` interactions before.

    The factor sqrt(2) gives the logits the variance of those of `clicks`. The evidence that an interaction gives about
    the taste depends on an item before it, so a model that encodes each interaction by itself and adds up the encodings
    cannot answer well.

    >>> import jax
    >>> episodes = OrderedClicks(num_context=3, num_targets=5).sample(jax.random.key(0), batch=2)
    >>> episodes.prompt.context.x.shape, episodes.target.shape
    ((2, 8, 2), (2, 5))
    """

    def logits(self) -> jax.Array:
        (table_ZxAxB,) = normal(jax.random.key(self.world), (self.num_tastes, self.num_categories, self.num_brands))
        logit_ZxAxB = math.sqrt(2) * self.strength * table_ZxAxB
        return jnp.repeat(logit_ZxAxB[:, :, None], self.num_categories, axis=2)
