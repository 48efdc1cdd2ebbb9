"""Streams of clicks of users who have a hidden taste, which changes now and then.

Interaction t shows an item, whose category a_t and brand b_t are uniformly distributed; y_t is 1 if the user clicks on
it. The taste z_t is a Markov chain: with probability `change` it is drawn anew, uniformly, before an interaction. The
probability of a click depends on the taste, on the item, and on what a subclass adds. All users share these
probabilities, which `world` fixes, so training can learn them; the taste has to be inferred from the user's own clicks.

The first `num_context` interactions are context only, and each of the others is a target that sees everything before
it. The Bayes-optimal answer is that of the forward algorithm over the visible interactions.
"""

import math
from typing import ClassVar

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.classification import Classification
from tasks.episode import Episode, Inputs, Prompt
from tasks.flat_random import normal
from tasks.task import pytree


class Tastes(Classification):
    """Base class of such tasks, which have the settings of `tasks.settings.Clicks` and define `logits`."""

    asks_its_examples: ClassVar[bool] = True
    num_targets: int
    num_categories: int  # A
    num_brands: int  # B
    num_tastes: int  # Z
    change: float
    lag: int = 1  # how many interactions before an item the one is whose category may matter

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", 2),)

    @property
    def answer_dim(self) -> int:
        return 2

    @property
    def vocabulary(self) -> int:
        """Return the number of tokens of items' features: first the categories, then the brands."""
        return self.num_categories + self.num_brands

    def logits(self) -> jax.Array:
        """Return the logits of a click (Z, A, A, B) by taste, category of the item `lag` before, category and brand."""
        raise NotImplementedError

    def sample(self, key: jax.Array, batch: int) -> Episode:
        """Return streams of `batch` users, numbered from 0; each depends on the key and on its number alone."""
        logits = self.logits()
        category_BxT, brand_BxT, label_BxT = jax.vmap(lambda user: self._stream(jax.random.fold_in(key, user), logits))(
            jnp.arange(batch)
        )
        x_BxNx2 = jnp.stack([category_BxT, self.num_categories + brand_BxT], axis=-1)
        answers_BxNx2 = jax.nn.one_hot(label_BxT, 2, dtype=logits.dtype)
        visible_QxN = before(self.num_context, self.num_targets)
        first = self.num_context  # the place of the first target
        prompt = Prompt(
            Inputs(x_BxNx2),
            answers_BxNx2,
            Inputs(x_BxNx2[:, first:]),
            visible=jnp.broadcast_to(visible_QxN, (batch, *visible_QxN.shape)),
        )
        return Episode(prompt, target=label_BxT[:, first:])

    def _stream(self, key: jax.Array, logits: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return categories, brands and labels of one user, (num_context + num_targets,) each."""
        keys, length = jax.random.split(key, 5), self.num_context + self.num_targets
        category = jax.random.randint(keys[0], (length + self.lag,), 0, self.num_categories)  # [lag]: the first item's
        brand = jax.random.randint(keys[1], (length,), 0, self.num_brands)
        taste = jax.random.randint(keys[2], (length,), 0, self.num_tastes)
        changes = jax.random.bernoulli(keys[3], self.change, (length,)).at[0].set(True)
        drawn_at = jax.lax.cummax(jnp.where(changes, jnp.arange(length), 0))
        logit = logits[taste[drawn_at], category[:length], category[self.lag :], brand]
        label = jax.random.uniform(keys[4], (length,)) < jax.nn.sigmoid(logit)
        return category[self.lag :], brand, label.astype(jnp.int32)

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal log-probabilities (Q, 2) given any set of visible interactions.

        Query q is interaction num_context + q. Where the interaction `lag` before one is not visible or does not exist,
        its category is averaged over.
        """
        probability = jax.nn.sigmoid(self.logits())  # (Z, A, A, B)
        after_any = jnp.mean(probability, axis=1)
        category_N = prompt.context.x[:, 0]
        brand_N = prompt.context.x[:, 1] - self.num_categories
        category_before_N = self._earlier(category_N)
        clicked_N = prompt.answers[:, 1]

        def click(category_before, category, brand, is_known) -> jax.Array:
            """Return the probability of a click (Z,) for each taste."""
            return jnp.where(is_known, probability[:, category_before, category, brand], after_any[:, category, brand])

        def one_query(place: jax.Array, visible_N: jax.Array) -> jax.Array:
            click_NxZ = jax.vmap(click)(category_before_N, category_N, brand_N, self._earlier(visible_N))
            likelihood_NxZ = jnp.where(clicked_N[:, None] > 0, click_NxZ, 1 - click_NxZ)
            likelihood_NxZ = jnp.where(visible_N[:, None], likelihood_NxZ, 1.0)

            def step(before_Z, likelihood_Z):
                seen_Z = before_Z * likelihood_Z
                seen_Z /= jnp.sum(seen_Z)
                return (1 - self.change) * seen_Z + self.change / self.num_tastes, before_Z

            start_Z = jnp.full(self.num_tastes, 1 / self.num_tastes)
            _, before_NxZ = jax.lax.scan(step, start_Z, likelihood_NxZ)
            probability_of_click = before_NxZ[place] @ click_NxZ[place]
            return jnp.log(jnp.stack([1 - probability_of_click, probability_of_click]))

        visible_QxN = prompt.visible
        if visible_QxN is None:
            visible_QxN = before(self.num_context, self.num_targets)
        return jax.vmap(one_query)(self.num_context + jnp.arange(len(visible_QxN)), visible_QxN)

    def _earlier(self, values_N: jax.Array) -> jax.Array:
        """Return the value of the interaction `lag` before each, (N,), and zero where there is none."""
        return jnp.concatenate([jnp.zeros(self.lag, values_N.dtype), values_N])[: len(values_N)]


def before(num_context: int, num_targets: int, window: int | None = None) -> jax.Array:
    """Return (Q, N) bool: each target sees all interactions before it, or with `window` the last so many of them."""
    place_Qx1 = num_context + jnp.arange(num_targets)[:, None]
    each_1xN = jnp.arange(num_context + num_targets)[None]
    oldest_Qx1 = place_Qx1 - (num_context + num_targets if window is None else window)
    return (oldest_Qx1 <= each_1xN) & (each_1xN < place_Qx1)


@pytree
class Clicks(settings.Clicks, Tastes):
    """`clicks`: a click depends on the item's category and brand and on the user's taste at that time.

        p(y = 1) = sigmoid(M1[z, a] + M2[z, b]),   entries of M1 and M2 ~ N(0, beta^2)

    Given the taste, interactions are independent, so the evidence about a constant taste is a sum over a user's clicks.

    >>> import jax
    >>> episodes = Clicks(num_context=3, num_targets=5).sample(jax.random.key(0), batch=2)
    >>> episodes.prompt.context.x.shape, episodes.prompt.visible.shape, episodes.target.shape
    ((2, 8, 2), (2, 5, 8), (2, 5))
    """

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
