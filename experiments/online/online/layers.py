"""The layers that are trained, each with the learner that it contains.

A layer's gates are sigmoids of linear maps of the token, its learner's are constants. A gate that a row does not name
is fixed: decays at 1, momentum at 0. A mesa layer's penalty is 1, as only its ratio to the rate matters.
"""

import dataclasses
import functools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp

from experiments.online.online.settings import Layer
from lab.attention.fast_weights.delta import Additive, Delta, Implicit
from lab.attention.fast_weights.mesa import Mesa
from lab.attention.fast_weights.momentum import MomentumMemory
from lab.attention.fast_weights.preconditioned import Preconditioned
from lab.attention.fast_weights.rule import Rule
from lab.layouts.merged import TokenLayout
from lab.learners.attention_stacks import SoftmaxTransformer
from lab.learners.fast_weight_transformer import FastWeightTransformer
from lab.learners.gates import Gate, Gates, PlaceGate, PositiveGate, ShareGate, TokenGate
from lab.learners.learner import Learner
from lab.learners.linear_transformer import Shape
from lab.learners.online.learner import OnlineLearner
from lab.learners.online.steps import Hebbian, OnePass, OnlineHeavyBall, PreconditionedPass, Proximal, WeightedRidge

SOFTMAX_HEADS = 2  # one head is a smoother alone (`lab.learners.attention_stacks`)
DECAY, MOMENTUM = 2.0, -2.0  # logits before training: .88 and .12
CHUNK = 8  # tokens; faster here than one by one


@dataclasses.dataclass(frozen=True)
class Online:
    """A layer and its learner.

    Args:
        rate: of both before training. most: the largest rate of the layer.
        decays, remembers: whether they have decays and momentum. by_place: whether the rate is a number of each place.
    """

    rule: Callable[[], Rule]
    learner: Callable[[TokenLayout, Gates], OnlineLearner]
    rate: float = 0.1
    most: float = 1.0
    decays: bool = False
    remembers: bool = False
    by_place: bool = False


def mesa() -> Rule:
    return Mesa(jnp.ones(()))


ONLINE: dict[Layer, Online] = {
    Layer.linear: Online(Additive, Hebbian),
    Layer.decayed: Online(Additive, Hebbian, decays=True),
    Layer.delta: Online(Delta, OnePass),
    Layer.gated: Online(Delta, OnePass, decays=True),
    Layer.implicit: Online(Implicit, Proximal, rate=0.5, most=10.0),
    Layer.momentum: Online(MomentumMemory, OnlineHeavyBall, decays=True, remembers=True),
    Layer.diagonal: Online(Preconditioned, PreconditionedPass),
    Layer.mesa: Online(mesa, functools.partial(WeightedRidge, penalty=1.0), rate=10.0, most=100.0, decays=True),
    Layer.places: Online(Delta, OnePass, by_place=True),
}


def layer(name: Layer, layout: TokenLayout, places: int, key: jax.Array, init_scale: jax.Array | float) -> Learner:
    """Return an untrained Transformer of one layer. places: the number of examples."""
    if name is Layer.softmax:
        return SoftmaxTransformer(Shape(layout, num_heads=SOFTMAX_HEADS), key, init_scale)
    row = ONLINE[name]

    rate = _by_place(row, places) if row.by_place else rate_by_token(row, layout)
    decay = _by_token(layout, DECAY) if row.decays else None
    momentum = _by_token(layout, MOMENTUM) if row.remembers else None
    return FastWeightTransformer(Shape(layout), row.rule(), Gates(rate, decay, momentum), key, init_scale, chunk=CHUNK)


def learner(name: Layer, layout: TokenLayout, places: int) -> OnlineLearner:
    """Return the layer's learner before its constants are fitted. places: the number of examples."""
    row = ONLINE[name]
    rate = _by_place(row, places) if row.by_place else PositiveGate(jnp.log(jnp.full(1, row.rate)))
    decay = ShareGate(jnp.full(1, DECAY)) if row.decays else None
    momentum = ShareGate(jnp.full(1, MOMENTUM)) if row.remembers else None
    return row.learner(layout, Gates(rate, decay, momentum))


def rate_by_token(row: Online, layout: TokenLayout) -> Gate:
    """Return the rate of a layer before it is trained: the same for all tokens."""
    share = row.rate / row.most
    return _by_token(layout, math.log(share / (1 - share)), row.most)


def _by_token(layout: TokenLayout, value: float, most: float = 1.0) -> Gate:
    return TokenGate(jnp.full(1, value), jnp.zeros((1, layout.token_dim)), most)


def _by_place(row: Online, places: int) -> Gate:
    return PlaceGate(jnp.log(jnp.full((1, places), row.rate)))
