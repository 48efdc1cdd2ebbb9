"""`shifted_classes`: classes whose means vary between episodes around prototypes that training can learn.

Prototypes M_c ~ N(0, I) are fixed, those of each seed of a run being its own. In an episode class c has the mean
mu_c = M_c + tau eps_c, an input of class c is x ~ N(mu_c, sigma^2 I), and its label is c, or pi(c) where the episode
permutes labels. An episode shows a random number of its examples: with probability `empty` none, otherwise a uniformly
distributed number from 0 to N. With `balanced`, examples come in rounds of all classes: N = C shows one of each.

So the prototypes answer better than chance without examples, and every example helps. The Bayes-optimal answer is
known.

>>> import jax
>>> episodes = ShiftedClasses().sample(jax.random.key(0), batch=3)
>>> prompt = episodes.prompt
>>> prompt.context.x.shape, prompt.answers.shape, prompt.visible.shape, episodes.target.shape
((3, 16, 8), (3, 16, 4), (3, 8, 16), (3, 8))
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from tasks import settings
from tasks.classification import InWorld
from tasks.episode import Episode, Inputs, Prompt
from tasks.flat_random import normal
from tasks.task import pytree

ROUNDS = 1  # folded into the key of classes
PERMUTABLE = 6  # most classes for which the Bayes-optimal answer sums over all permutations: 720 of them


@pytree
class ShiftedClasses(settings.ShiftedClasses, InWorld):
    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.input_dim),)

    @property
    def answer_dim(self) -> int:
        return self.num_classes

    @property
    def prototypes(self) -> jax.Array:
        """Return the prototypes M (C, X)."""
        return normal(jax.random.key(self.world), (self.num_classes, self.input_dim))[0]

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_means, key_inputs, key_classes, key_labels, key_count = jax.random.split(key, 5)
        count, classes = self.num_context + self.num_queries, self.num_classes
        (epsilon,) = normal(key_means, (batch, classes, self.input_dim))
        (inputs,) = normal(key_inputs, (batch, count, self.input_dim))
        means_BxCxX = self.prototypes[None] + self.shift * epsilon
        class_BxM = jax.random.randint(key_classes, (batch, count), 0, classes)
        if self.balanced:
            rounds_BxN = self._rounds(jax.random.fold_in(key_classes, ROUNDS), batch)
            class_BxM = class_BxM.at[:, : self.num_context].set(rounds_BxN)
        x_BxMxX = jnp.take_along_axis(means_BxCxX, class_BxM[..., None], axis=1) + self.noise * inputs
        label_BxM = self._labels(key_labels, class_BxM)
        x_context, x_query = jnp.split(x_BxMxX, [self.num_context], axis=1)
        label_context, label_query = jnp.split(label_BxM, [self.num_context], axis=1)
        shown_B = self._shown(key_count, batch)
        visible_BxN = jnp.arange(self.num_context)[None] < shown_B[:, None]
        visible_BxQxN = jnp.repeat(visible_BxN[:, None], self.num_queries, axis=1)
        answers_BxNxC = jax.nn.one_hot(label_context, classes, dtype=x_BxMxX.dtype)
        return Episode(
            Prompt(Inputs(x_context), answers_BxNxC, Inputs(x_query), visible=visible_BxQxN), target=label_query
        )

    def _rounds(self, key: jax.Array, batch: int) -> jax.Array:
        """Return the classes of the examples (B, N): rounds of all classes, each in an order of its own."""
        rounds, classes = -(-self.num_context // self.num_classes), self.num_classes
        order_BxRxC = jnp.argsort(jax.random.uniform(key, (batch, rounds, classes)), axis=-1)
        return order_BxRxC.reshape(batch, -1)[:, : self.num_context]

    def _labels(self, key: jax.Array, class_BxM: jax.Array) -> jax.Array:
        """Return labels (B, M): permuted in some episodes, and drawn anew in some examples of the context."""
        key_order, key_permuted, key_noisy, key_drawn = jax.random.split(key, 4)
        batch, classes = len(class_BxM), self.num_classes
        order_BxC = jnp.argsort(jax.random.uniform(key_order, (batch, classes)), axis=1)
        permuted_B = jax.random.bernoulli(key_permuted, self.permuted, (batch,))
        order_BxC = jnp.where(permuted_B[:, None], order_BxC, jnp.arange(classes)[None])
        label_BxM = jnp.take_along_axis(order_BxC, class_BxM, axis=1)
        noisy_BxM = jax.random.bernoulli(key_noisy, self.label_noise, label_BxM.shape)
        noisy_BxM &= (jnp.arange(label_BxM.shape[1]) < self.num_context)[None]
        return jnp.where(noisy_BxM, jax.random.randint(key_drawn, label_BxM.shape, 0, classes), label_BxM)

    def _shown(self, key: jax.Array, batch: int) -> jax.Array:
        """Return the number of examples that each episode shows (B,)."""
        key_empty, key_any = jax.random.split(key)
        shown_B = jax.random.randint(key_any, (batch,), 0, self.num_context + 1)
        return jnp.where(jax.random.bernoulli(key_empty, self.empty, (batch,)), 0, shown_B)

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal logits (Q, C): log p(x, y = c | examples) up to a constant.

        Given the class behind each label, the posterior of a class's mean is Gaussian with precision
        1/tau^2 + n_c/sigma^2. With permuted labels that is summed over all permutations, weighted by their posterior
        probabilities. NaN where labels are noisy, as no closed form is known, and where more than `PERMUTABLE`
        classes are permuted, as there are too many permutations.
        """
        visible_QxN = prompt.visible
        if visible_QxN is None:
            visible_QxN = jnp.ones((len(prompt.query.x), self.num_context), bool)

        def one_query(x_X: jax.Array, visible_N: jax.Array) -> jax.Array:
            seen_NxC = jnp.where(visible_N[:, None], prompt.answers, 0.0)
            return self._logits(x_X, jnp.sum(seen_NxC, axis=0), seen_NxC.T @ prompt.context.x)

        logits_QxC = jax.vmap(one_query)(prompt.query.x, visible_QxN)
        unknown = self.label_noise > 0
        if self.num_classes > PERMUTABLE:
            unknown |= self.permuted > 0
        return jnp.where(unknown, jnp.nan, logits_QxC)

    def _logits(self, x_X: jax.Array, count_C: jax.Array, sum_CxX: jax.Array) -> jax.Array:
        """Return the logits (C,) of x from the number of visible examples of each label and the sums of their
        inputs."""
        precision_C = 1 / self.shift**2 + count_C / self.noise**2
        # Axis C is the label c, and axis K the class k whose prototype is behind it.
        mean_CxKxX = (self.prototypes[None] / self.shift**2 + sum_CxX[:, None] / self.noise**2) / precision_C[
            :, None, None
        ]
        variance_C = self.noise**2 + 1 / precision_C
        distance_CxK = jnp.sum((x_X[None, None] - mean_CxKxX) ** 2, axis=-1)
        of_query_CxK = -0.5 * distance_CxK / variance_C[:, None] - 0.5 * self.input_dim * jnp.log(variance_C)[:, None]
        # The log evidence of the examples of label c, without the terms that are the same for every k.
        square_K = jnp.sum(self.prototypes**2, axis=-1)
        evidence_CxK = 0.5 * (precision_C[:, None] * jnp.sum(mean_CxKxX**2, axis=-1) - square_K[None] / self.shift**2)
        each_C = np.arange(self.num_classes)
        many = self.num_classes > PERMUTABLE
        orders_PxC = np.array([each_C] if many else [*itertools.permutations(each_C)])  # the class behind each label
        is_identity_P = np.all(orders_PxC == each_C[None], axis=1)
        prior_P = self.permuted / len(orders_PxC) + jnp.where(is_identity_P, 1 - self.permuted, 0.0)
        weight_P = jnp.log(prior_P) + jnp.sum(evidence_CxK[each_C[None], orders_PxC], axis=1)
        return jax.nn.logsumexp(weight_P[:, None] + of_query_CxK[each_C[None], orders_PxC], axis=0)
