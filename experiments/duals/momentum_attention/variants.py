"""The variants of a decoder's attention, as numbers: so that all variants are one compiled program."""

import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from flax import nnx, struct

from experiments.duals.momentum_attention.results import LEARNED, NONE, SHIFT
from lab.attention.momentum import LearnedMomentum, Momentum, moving_average, previous_token
from lab.learners.decoder import Decoder, with_attention
from lab.learners.decoder_block import Attention
from lab.learners.decoder_shape import Shape
from lab.learners.sequence import SequenceDecoder

SHIFT_WEIGHT = 0.5  # of the value of the token before, in the control
FIRST_ETA = 0.5  # of a learned eta, before training


@struct.dataclass
class Variant:
    """Momentum with given numbers, or with an eta that is trained. One variant, or several with an axis in front."""

    fixed: Momentum
    is_learned: jax.Array


@struct.dataclass
class Chosen:
    """Attention that is the one or the other, by a traced flag; the learned part has no gradient where it is not
    used. name: as `lab.attention.softmax.Softmax` has one."""

    fixed: Momentum
    learned: LearnedMomentum
    is_learned: jax.Array
    name: str = struct.field(pytree_node=False, default="chosen momentum")

    def __call__(self, q_TxA, k_SxA, v_SxC, mask_TxS=None, bias_TxS=None) -> jax.Array:
        """(T, C)."""
        learned = moving_average(self.learned.eta)
        momentum = jax.tree.map(lambda a, b: jnp.where(self.is_learned, a, b), learned, self.fixed)
        return momentum(q_TxA, k_SxA, v_SxC, mask_TxS, bias_TxS)


def variants(eta: Sequence[float]) -> dict[str, Variant]:
    """{name: variant}: without momentum, with each eta, with a learned one, and with the previous token alone."""

    def fixed(momentum: Momentum) -> Variant:
        return Variant(momentum, jnp.array(False))

    averages = {name_of(value): fixed(moving_average(jnp.array(value))) for value in eta}
    nothing = moving_average(jnp.array(0.0))
    return (
        {NONE: fixed(nothing)}
        | averages
        | {LEARNED: Variant(nothing, jnp.array(True)), SHIFT: fixed(previous_token(jnp.array(SHIFT_WEIGHT)))}
    )


def name_of(eta: float) -> str:
    return f"eta={eta:g}"


def decoder_of(shape: Shape, variant: Variant, key: jax.Array, init_scale: jax.Array) -> Decoder:
    """An untrained decoder; its weights depend on the key alone, and not on variant or positions."""
    plain = SequenceDecoder(shape, key, init_scale)
    heads = shape.num_heads

    def attention() -> Chosen:
        momentum, is_learned = jax.tree.map(lambda leaf: jnp.full(heads, leaf), (variant.fixed, variant.is_learned))
        learned = LearnedMomentum(nnx.Param(jnp.full(heads, math.log(FIRST_ETA / (1 - FIRST_ETA)), float)))
        return Chosen(momentum, learned, is_learned)

    return with_attention(plain, [attention() for _ in range(shape.num_blocks)])


def etas(decoder: Decoder) -> jax.Array:
    """Return the learned eta of each layer and head, (L, H), of a decoder that `decoder_of` made."""

    def eta(attention: Attention) -> jax.Array:
        assert isinstance(attention, Chosen)
        return attention.learned.eta

    return jnp.stack([eta(block.attention) for block in decoder.blocks])
