"""`recommend`: a user's next item has to be ranked within a slate, by in-context regression of the item's features.

Items are unit vectors in R^d. A user has a taste u ~ N(0, I) and habits R with N(0, spread^2 / d) entries. After item h
the user takes item x from a slate of S random items, with probability softmax(sharpness <x, s>), where

    s = taste u + habit R h.

A demonstration is (h, x). Its inputs are h and a constant, with which a linear model can represent the term of u. A
query shows h; its answer is a vector, whose inner products with the candidates rank the slate. A share `contamination`
of an episode's demonstrations, in random places, is that of one other person (a shared account); queries never are.

>>> import jax
>>> episodes = Recommend(num_context=5, num_queries=2).sample(jax.random.key(0), batch=3)
>>> prompt, slate = episodes.prompt, episodes.target
>>> prompt.context.x.shape, prompt.answers.shape, prompt.query.x.shape, slate.items.shape, slate.index.shape
((3, 5, 7), (3, 5, 6), (3, 2, 7), (3, 2, 50, 6), (3, 2))
"""

import math

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Episode, Inputs, Prompt
from tasks.flat_random import normal
from tasks.ranking import Ranking, Slate
from tasks.task import pytree


@pytree
class Recommend(settings.Recommend, Ranking):
    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.item_dim + 1),)

    @property
    def answer_dim(self) -> int:
        return self.item_dim

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_people, key_context, key_query, key_others, key_count = jax.random.split(key, 5)
        count, queries, width = self.num_context, self.num_queries, self.item_dim
        taste_BxPxY, habit_BxPxYxY = normal(key_people, (batch, 2, width), (batch, 2, width, width))
        people = taste_BxPxY, self.spread / math.sqrt(width) * habit_BxPxYxY  # the user, and the other person
        places_BxN = jnp.argsort(jax.random.uniform(key_others, (batch, count)), axis=1)
        other_BxN = (places_BxN < jnp.round(self.contamination * count)).astype(int)
        last_BxNxY, slate = self._choices(key_context, people, other_BxN)
        taken_BxNxY = jnp.take_along_axis(slate.items, slate.index[..., None, None], axis=2)[:, :, 0]
        last_BxQxY, target = self._choices(key_query, people, jnp.zeros((batch, queries), int))
        visible = None
        if self.any_count:
            count_B = jax.random.randint(key_count, (batch,), 1, count + 1)
            visible = jnp.broadcast_to(jnp.arange(count)[None, None] < count_B[:, None, None], (batch, queries, count))
        context, query = (Inputs(self._with_constant(last)) for last in (last_BxNxY, last_BxQxY))
        return Episode(Prompt(context, taken_BxNxY, query, visible=visible), target=target)

    def preference(self, taste: jax.Array, habit: jax.Array, last: jax.Array) -> jax.Array:
        """Return s = taste u + habit R h (..., Y) from u = `taste` (..., Y), R = `habit` (..., Y, Y) and h = `last`
        (..., Y)."""
        return self.taste * taste + self.habit * jnp.einsum("...yx,...x->...y", habit, last)

    def _choices(self, key: jax.Array, people: tuple[jax.Array, ...], who_BxM: jax.Array) -> tuple[jax.Array, Slate]:
        """Return the last items h (B, M, Y), and for each a slate with the number of the item taken.

        Args:
            people: tastes (B, P, Y) and habits (B, P, Y, Y) of P persons. who_BxM: the person who chooses.
        """
        key_items, key_taken = jax.random.split(key)
        (batch, count), width = who_BxM.shape, self.item_dim
        last, items = normal(key_items, (batch, count, width), (batch, count, self.slate, width))
        last_BxMxY, items_BxMxSxY = (each / jnp.linalg.norm(each, axis=-1, keepdims=True) for each in (last, items))
        taste_BxMxY, habit_BxMxYxY = (jax.vmap(lambda each, who: each[who])(each, who_BxM) for each in people)
        liked_BxMxY = self.preference(taste_BxMxY, habit_BxMxYxY, last_BxMxY)
        utility_BxMxS = self.sharpness * jnp.einsum("bmsy,bmy->bms", items_BxMxSxY, liked_BxMxY)
        return last_BxMxY, Slate(items_BxMxSxY, jax.random.categorical(key_taken, utility_BxMxS))

    def _with_constant(self, last: jax.Array) -> jax.Array:
        return jnp.concatenate([last, jnp.broadcast_to(self.constant, (*last.shape[:-1], 1))], axis=-1)
