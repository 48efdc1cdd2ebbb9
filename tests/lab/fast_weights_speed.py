"""Processor seconds of fast-weight layers in their two forms, by the length of a sequence, beside softmax attention.

    python -m tests.lab.fast_weights_speed ROUNDS > docs/results/fast_weights_speed.csv

A measurement is one forward pass over 32 sequences, with the outputs of all tokens and a state of 64 x 64. All programs
have one thread and work in turns, one round after another, so that what else runs on the machine slows all; processor
seconds do not count the time in which others run. Printed are the median over the rounds, the smallest and the largest,
and the largest difference of the outputs from the recurrent form's, relative to the largest output.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import csv
import functools
import statistics
import sys
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from lab.attention.fast_weights.additive import Additive
from lab.attention.fast_weights.delta import Delta
from lab.attention.fast_weights.mesa import MesaByGradients
from lab.attention.fast_weights.momentum import MomentumMemory
from lab.attention.fast_weights.preconditioned import Preconditioned
from lab.attention.fast_weights.rule import Rule, Tokens, chunkwise, recurrent
from lab.attention.softmax import Softmax

BATCH, WIDTH, CHUNK = 32, 64, 64
LENGTHS = (64, 256, 1024, 4096)
RULES: dict[str, Rule] = {"linear": Additive(), "delta": Delta(), "momentum": MomentumMemory(),
                          "preconditioned": Preconditioned()}  # fmt: skip
MESA: Rule = MesaByGradients(jnp.ones(()))  # too slow token by token for the longest sequences
LONGEST_OF_MESA = 256


def inputs(length: int) -> tuple[Tokens, jax.Array]:
    """Return tokens of all sequences, with keys of length 1, and queries."""
    keys = jax.random.split(jax.random.key(length), 4)
    k, v, q = (jax.random.normal(key, (BATCH, length, WIDTH)) for key in keys[:3])
    gates = jax.random.uniform(keys[3], (3, BATCH, length))
    k = k / jnp.linalg.norm(k, axis=-1, keepdims=True)
    return Tokens(k, v, 0.5 * gates[0], 0.9 + 0.1 * gates[1], 0.5 * gates[2]), q


def programs(length: int) -> dict[tuple[str, str], Callable]:
    """Return {(layer, form): compiled function of tokens and queries}."""
    start, rules = jnp.zeros((WIDTH, WIDTH)), {**RULES, **({"mesa": MESA} if length <= LONGEST_OF_MESA else {})}
    every = {}
    for name, rule in rules.items():
        every[name, "recurrent"] = jax.vmap(lambda t, q, rule=rule: recurrent(rule, start, t, q)[1])
        every[name, "chunkwise"] = jax.vmap(lambda t, q, rule=rule: chunkwise(rule, start, t, q, CHUNK)[1])
    mask_TxS = np.tril(np.ones((length, length), bool))
    every["softmax", "parallel"] = jax.vmap(lambda t, q: Softmax()(q, t.keys, t.values, mask_TxS))
    return {name: jax.jit(function).lower(*inputs(length)).compile() for name, function in every.items()}


def seconds(function: Callable[[], jax.Array]) -> float:
    begun = time.process_time()
    jax.block_until_ready(function())
    return time.process_time() - begun


def main(rounds: int) -> None:
    """Print the table."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["layer", "form", "length", "seconds", "smallest", "largest", "rounds", "difference"])
    for length in LENGTHS:
        tokens, queries = inputs(length)
        calls = {name: functools.partial(each, tokens, queries) for name, each in programs(length).items()}
        outputs = {name: np.asarray(call()) for name, call in calls.items()}
        taken = [{name: seconds(call) for name, call in calls.items()} for _ in range(rounds)]
        for name in calls:
            times = [each[name] for each in taken]
            expected = outputs.get((name[0], "recurrent"))
            apart = "" if expected is None else f"{np.abs(outputs[name] - expected).max() / np.abs(expected).max():.1e}"
            numbers = (f"{each:.4g}" for each in (statistics.median(times), min(times), max(times)))
            writer.writerow([*name, length, *numbers, rounds, apart])
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
