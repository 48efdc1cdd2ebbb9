"""Identities of layers with fast weights and online learners: the largest deviation of each, relative, in float64.

    python -m tests.lab.online_identities > docs/results/online_identities.csv

Tests require deviations below 1e-12.
"""

import csv
import dataclasses
import itertools
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lab.attention.fast_weights.delta import Delta, Implicit
from lab.attention.fast_weights.momentum import MomentumMemory
from lab.attention.fast_weights.rule import Tokens, chunkwise, recurrent
from lab.layouts.merged import TokenLayout
from lab.learners.construction import constructed
from lab.learners.gates import Gate, Gates, TokenGate
from lab.learners.linear_transformer import Shape
from lab.learners.online.construction import constructed_online
from lab.learners.online.steps import Hebbian
from tasks.plain import Plain
from tests.lab.makers import KEY, one_prompt
from tests.lab.online_loops import BATCH, CASES

COUNT, KEYS, VALUES = 11, 3, 2  # two chunks of 4, and 3 tokens more
EXAMPLES = 6
# The weights that are set by hand are of one form for all rules, so each rule has one of these rows.
ROWS = (("constant", 3, 2, 1), ("by token", 1, 1, 3), ("by token", 3, 2, 2))  # gates, outputs, heads, layers
BY_HAND = dict(zip(CASES, itertools.cycle(ROWS), strict=False))  # {layer: its row}


def tokens_of(count: int = COUNT, decays: float | None = None) -> tuple[Any, Tokens, Any]:
    """Return W_0, tokens whose gates differ, and queries."""
    draw: Any = np.random.default_rng(1)
    decay_N = draw.uniform(0.6, 1, count) if decays is None else jnp.full(count, decays)
    gates = draw.uniform(0.05, 0.3, count), decay_N, draw.uniform(0.2, 0.8, count)
    tokens = Tokens(draw.normal(size=(count, KEYS)), draw.normal(size=(count, VALUES)), *gates)
    return draw.normal(size=(VALUES, KEYS)), tokens, draw.normal(size=(count, KEYS))


def task_of(outputs: int) -> Plain:
    return Plain(num_context=EXAMPLES, input_dim=KEYS, output_dim=outputs, num_queries=2)


def from_the_loop(name: str) -> dict[str, float]:
    """Compare the two forms of a layer, and its learner, with a loop in NumPy."""
    loop, rule, learner = CASES[name]
    w_0, tokens, queries = tokens_of()
    w_TxVxK = np.array([*loop(w_0, [*zip(*vars(tokens).values(), strict=True)])])
    outputs_TxV = np.einsum("tvk,tk->tv", w_TxVxK, queries)
    layout = TokenLayout((("x", KEYS),), VALUES)

    @jax.jit
    def everything(w_0, tokens, queries):
        fitted = learner(layout, Gates(Gate(jnp.ones(1)))).fit(w_0, tokens)
        return recurrent(rule, w_0, tokens, queries), chunkwise(rule, w_0, tokens, queries, BATCH), fitted

    *forms, fitted = everything(w_0, tokens, queries)
    one, other = (max(_apart(last, w_TxVxK[-1]), _apart(outputs, outputs_TxV)) for last, outputs in forms)
    return {"token by token": one, "chunk by chunk": other, "learner": _apart(fitted, w_TxVxK[-1])}


def from_the_learner(name: str) -> float:
    """Compare the answers of a Transformer whose weights are set by hand with its learner's.

    That is after every layer, from a W_0, in both forms, with one block and with a block per layer.
    """
    gates_are, outputs, heads, layers = BY_HAND[name]
    _, rule, learner_of = CASES[name]
    layout, prompt = TokenLayout.of(task_of(outputs)), one_prompt(task_of(outputs))
    gates, w_0 = _gates(gates_are, outputs), 0.5 * jax.random.normal(KEY, (outputs, KEYS))

    def readouts(prompt):
        yield learner_of(layout, gates, passes=layers, initial_model=w_0).readouts(prompt)
        for is_recurrent, chunk in ((True, None), (False, BATCH)):
            shape = Shape(layout, num_layers=layers, num_heads=heads, recurrent=is_recurrent)
            yield constructed_online(shape, rule, gates, w_0, chunk).readouts(prompt)

    expected, *results = jax.jit(lambda prompt: [*readouts(prompt)])(prompt)
    assert expected.shape == (layers, 2, outputs)
    return max(_apart(each, expected) for each in results)


def limits() -> dict[str, float]:
    """Compare rules with others that they are for special numbers."""
    task, arrays = task_of(2), tokens_of(decays=1.0)

    def pairs(w_0, tokens, queries, prompt):
        def last(rule, **changes):
            return recurrent(rule, w_0, dataclasses.replace(tokens, **changes), queries)[0]

        without = last(MomentumMemory(), momenta=jnp.zeros(COUNT))
        yield "momentum with theta = 0 is the delta rule", without, last(Delta())
        exact = last(Delta(), rates=1 / jnp.sum(tokens.keys**2, axis=1))
        yield "the delta rule at the rate 1 / k^2 stores the last value", exact @ tokens.keys[-1], tokens.values[-1]
        implicit = last(Implicit(), rates=jnp.full(COUNT, 1e15))
        yield "an implicit step at the rate 1e15 is the delta rule at the rate 1 / k^2", implicit, exact
        hebbian = Hebbian(TokenLayout.of(task), Gates(Gate(jnp.array([0.8 / EXAMPLES]))))
        step = constructed(Shape(TokenLayout.of(task)), 0.8, EXAMPLES)
        yield "a Hebbian pass from W = 0 is a step of gradient descent", hebbian(prompt), step(prompt)

    results = jax.jit(lambda *each: {name: pair for name, *pair in pairs(*each)})(*arrays, one_prompt(task))
    return {name: _apart(*pair) for name, pair in results.items()}


def _gates(kind: str, outputs: int) -> Gates:
    if kind == "constant":
        return Gates(Gate(jnp.array([0.3])), Gate(jnp.array([0.9])), Gate(jnp.array([0.6])))
    w_3xD = jax.random.normal(KEY, (3, KEYS + outputs))
    return Gates(*(TokenGate(jnp.array([b]), w[None]) for b, w in zip((-1.0, 2.0, 0.3), w_3xD, strict=True)))


def _apart(a: Any, b: Any) -> float:
    """Return the largest difference, divided by the largest number of b."""
    a, b = np.asarray(a), np.asarray(b)
    return float(np.max(np.abs(a - b)) / np.max(np.abs(b)))


def main() -> None:
    """Print the table."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["identity", "layer", "deviation"])
    for name in CASES:
        for identity, deviation in {**from_the_loop(name), "weights by hand": from_the_learner(name)}.items():
            writer.writerow([identity, name, f"{deviation:.1e}"])
    for identity, deviation in limits().items():
        writer.writerow([identity, "", f"{deviation:.1e}"])


if __name__ == "__main__":
    with jax.enable_x64(True):
        main()
