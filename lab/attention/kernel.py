"""Softmax attention with its kernel estimated by random features [Choromanski et al. 2021].

    out_t = sum_s k_ts v_s / sum_s k_ts,    k_ts = phi(q_t) . phi(k_s), an estimate of exp(q_t . k_s)

This equals a model W = sum_s (v_s, 1) phi(k_s)^T that is read out at phi(q_t) and divided by its last entry.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeVar

import jax
import jax.numpy as jnp
from flax import struct

Carry = TypeVar("Carry")


class FeatureMap(Protocol):
    """A map of `lab.features`: a dataclass whose kernel is a mean over frequencies, each of which gives features."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    frequencies_MxA: jax.Array

    def __call__(self, x: jax.Array, shift: jax.Array | float) -> jax.Array:
        """Return the features (.., F) of vectors (.., A), times exp(-shift)."""
        ...

    def largest_exponent(self, x: jax.Array) -> jax.Array:
        """Return the largest exponent in the features of each vector, (..)."""
        ...


@struct.dataclass
class KernelAttention:
    """Attention whose T x S kernel is estimated from random features, for `chunk` frequencies at a time.

    So no array of features has more than `chunk` frequencies' columns. An estimate need not be positive (trigonometric
    features): where a token's normaliser is near zero or negative, its output has no bound.
    """

    features: FeatureMap
    chunk: int = struct.field(pytree_node=False, default=512)

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array:
        """Return the averages of the values with the estimated kernel as weights.

        Args:
            q_TxA, k_SxA: queries and keys, whose products are the scores; a factor such as A^(-1/2) is in them already.
            mask_TxS: where it is False, token t does not see token s. Each token sees at least one.
            bias_TxS: is added to the scores: the estimated kernel is multiplied by exp(bias), which is exact.

        Returns:
            (T, C).
        """
        kernel_TxS = self.kernel(q_TxA, k_SxA)
        if bias_TxS is not None:
            visible_TxS = bias_TxS if mask_TxS is None else jnp.where(mask_TxS, bias_TxS, -jnp.inf)
            kernel_TxS *= jnp.exp(visible_TxS - jnp.max(visible_TxS, axis=1, keepdims=True))
        if mask_TxS is not None:
            kernel_TxS = jnp.where(mask_TxS, kernel_TxS, 0.0)
        return average(kernel_TxS, v_SxC)

    def kernel(self, q_TxA: jax.Array, k_SxA: jax.Array) -> jax.Array:
        """Return estimates of exp(q_t . k_s), up to one positive factor per query, (T, S).

        From the exponents of a query's features their largest is subtracted, and from those of every key the largest
        over all keys: a factor per key would change the output. In single precision this works for vectors of length up
        to about 20; at 100 all products underflow.
        """

        def exponents(features: FeatureMap, largest):
            queries_T, keys = largest
            highest = jnp.max(features.largest_exponent(k_SxA))
            return jnp.maximum(queries_T, features.largest_exponent(q_TxA)), jnp.maximum(keys, highest)

        def products(features: FeatureMap, sum_TxS):
            features_TxF, features_SxF = features(q_TxA, shift_T[:, None]), features(k_SxA, shift)
            return sum_TxS + len(features.frequencies_MxA) * (features_TxF @ features_SxF.T)

        lowest = jnp.array(-jnp.inf, q_TxA.dtype)
        shift_T, shift = self._fold(exponents, (jnp.full(len(q_TxA), lowest), lowest))
        zeros_TxS = jnp.zeros((len(q_TxA), len(k_SxA)), q_TxA.dtype)
        return self._fold(products, zeros_TxS) / len(self.features.frequencies_MxA)

    def _fold(self, step: Callable[[FeatureMap, Carry], Carry], carry: Carry) -> Carry:
        """Return the carry after `step` on chunks of the frequencies, one after the other; the last may be shorter."""
        frequencies_MxA = self.features.frequencies_MxA
        count, width = frequencies_MxA.shape
        whole = count // self.chunk * self.chunk if count > self.chunk else 0
        if whole:
            chunks = frequencies_MxA[:whole].reshape(-1, self.chunk, width)
            carry, _ = jax.lax.scan(lambda carry, chunk: (step(self._part(chunk), carry), None), carry, chunks)
        return step(self._part(frequencies_MxA[whole:]), carry) if whole < count else carry

    def _part(self, frequencies_MxA: jax.Array) -> FeatureMap:
        return dataclasses.replace(self.features, frequencies_MxA=frequencies_MxA)


def average(weights_TxS: jax.Array, v_SxC: jax.Array) -> jax.Array:
    """Return the values averaged with weights that need not add up to one, (T, C)."""
    return weights_TxS @ v_SxC / jnp.sum(weights_TxS, axis=1, keepdims=True)
