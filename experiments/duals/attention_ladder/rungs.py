"""The rungs: what can take the place of softmax in a trained decoder, from linear attention upwards.

Two are no other attention: with `FROZEN` softmax stays, and the queries' scales and secants are those of the prompt
without examples; `DUAL` is softmax as one gradient step of each token's dual model.
"""

from collections.abc import Sequence

import jax

from lab.attention.kernel import KernelAttention
from lab.attention.linear import Linear
from lab.attention.softmax import Softmax
from lab.attention.taylor import MeanLinear, StartNormaliser, Taylor
from lab.features import draw
from lab.learners.decoder import Decoder, with_attention
from lab.learners.decoder_block import Attention
from lab.learners.dual_step import DualStep
from lab.learners.frozen_scales import FrozenScales

SOFTMAX = "softmax"
FROZEN = "scales without examples"
DUAL = "step of dual models"
MAP, SAMPLER = "positive", "orthogonal"  # the random features that keep most of a decoder (`softmax_dual`)


def rungs(decoder: Decoder, degrees: Sequence[int], features: int, key: jax.Array) -> dict[str, Decoder | FrozenScales]:
    """Return {name: the decoder with that attention in every block, or with frozen scales}, in their order.

    Args:
        degrees: of Taylor weights.
        features: the number of random features.
        key: draws their frequencies, of every head of every block its own.
    """
    shape = decoder.shape
    each: dict[str, Attention] = {
        "linear": Linear(),
        "linear, divided by n": MeanLinear(),
        **{f"Taylor, degree {degree}": Taylor(degree) for degree in sorted(degrees)},
        "normaliser without examples": StartNormaliser(shape.instructions),
    }
    by_block: dict[str, list[Attention]] = {name: [attention] * shape.num_blocks for name, attention in each.items()}
    by_block[f"{features} random features"] = [
        KernelAttention(draw(MAP, SAMPLER, block_key, features, shape.head_width, shape.num_heads))
        for block_key in jax.random.split(key, shape.num_blocks)
    ]
    simpler = {name: with_attention(decoder, attention) for name, attention in by_block.items()}
    exact = {DUAL: DualStep(shape.instructions), SOFTMAX: Softmax()}
    whole = {name: with_attention(decoder, [attention] * shape.num_blocks) for name, attention in exact.items()}
    return simpler | {FROZEN: FrozenScales(decoder)} | whole
