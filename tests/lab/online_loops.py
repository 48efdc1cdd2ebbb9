"""Every fast-weight rule as a plain loop in NumPy, in the form of its paper or its definition, and what it is held
against: {name: (loop, rule, learner)}. A loop gives W after every token."""

import functools
from typing import Any

import numpy as np

from lab.attention.fast_weights.delta import Additive, Delta, Implicit
from lab.attention.fast_weights.mesa import Mesa, MesaByGradients
from lab.attention.fast_weights.momentum import MomentumMemory
from lab.attention.fast_weights.preconditioned import SMALL, Preconditioned
from lab.learners.online.steps import Hebbian, OnePass, OnlineHeavyBall, PreconditionedPass, Proximal, WeightedRidge

PENALTY: Any = np.array(0.7)
BATCH = 4


def additive(w, tokens):
    for k, v, rate, decay, _ in tokens:
        w = decay * w + rate * np.outer(v, k)
        yield w


def delta(w, tokens):
    for k, v, rate, decay, _ in tokens:
        w = decay * w @ (np.eye(len(k)) - rate * np.outer(k, k)) + rate * np.outer(v, k)
        yield w


def implicit(w, tokens):
    for k, v, rate, decay, _ in tokens:
        w = (decay * w + rate * np.outer(v, k)) @ np.linalg.inv(np.eye(len(k)) + rate * np.outer(k, k))
        yield w


def momentum(w, tokens):
    m = np.zeros_like(w)
    for k, v, rate, decay, theta in tokens:
        m = theta * m - rate * np.outer(w @ k - v, k)
        w = decay * w + m
        yield w


def preconditioned(w, tokens):
    for t, (k, v, rate, decay, _) in enumerate(tokens):
        square = np.mean([token[0] ** 2 for token in tokens[: t + 1]], axis=0)
        w = decay * w
        w = w - rate * np.outer(w @ k - v, k) @ np.diag(1 / (square + SMALL))
        yield w


def ridge(w_0, tokens):
    """The rows of all examples and of the penalty, each times the root of its weight, in one least squares."""
    for t in range(1, len(tokens) + 1):
        decays, size = np.array([token[3] for token in tokens[:t]]), w_0.shape[1]
        weights = [tokens[i][2] * np.prod(decays[i + 1 :]) for i in range(t)]
        rows = [np.sqrt(c) * token[0] for c, token in zip(weights, tokens, strict=False)]
        right = [np.sqrt(c) * token[1] for c, token in zip(weights, tokens, strict=False)]
        left = np.vstack([*rows, np.sqrt(PENALTY) * np.eye(size)])
        yield np.linalg.lstsq(left, np.vstack([*right, np.sqrt(PENALTY) * w_0.T]), rcond=None)[0].T


CASES = {
    "additive": (additive, Additive(), Hebbian),
    "delta": (delta, Delta(), OnePass),
    "implicit": (implicit, Implicit(), Proximal),
    "momentum": (momentum, MomentumMemory(), OnlineHeavyBall),
    "preconditioned": (preconditioned, Preconditioned(), PreconditionedPass),
    "mesa": (ridge, Mesa(PENALTY), functools.partial(WeightedRidge, penalty=PENALTY)),
    "mesa_by_gradients": (ridge, MesaByGradients(PENALTY, 1e-15), functools.partial(WeightedRidge, penalty=PENALTY)),
}  # fmt: skip
