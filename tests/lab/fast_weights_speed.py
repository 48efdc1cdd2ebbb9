"""Processor seconds of fast-weight layers in their two forms, by the length of a sequence, beside softmax attention.

    python -m tests.lab.fast_weights_speed ROUNDS > docs/results/fast_weights_speed.csv

A measurement is one pass over 32 sequences, with the outputs of all tokens and a state of 64 x 64: `forward`, or
`gradient`, forward and back to keys, values, gates and queries. For the latter the recurrent form keeps every state:
1.7 gigabytes for the delta rule and 1,024 tokens, so with more tokens only the chunkwise form has a row. All programs
have one thread and work in turns, one round after another, so that what else runs on the machine slows all; processor
seconds do not count the time in which others run. Printed are the median over the rounds, the smallest and the largest,
the largest difference from the recurrent form's results, relative to the largest number, and how many times as long the
recurrent form takes.
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

from lab.attention.fast_weights.delta import Additive, Delta
from lab.attention.fast_weights.mesa import MesaByGradients
from lab.attention.fast_weights.momentum import MomentumMemory
from lab.attention.fast_weights.preconditioned import Preconditioned
from lab.attention.fast_weights.rule import Rule, Tokens, chunkwise, recurrent
from lab.attention.softmax import Softmax

BATCH, WIDTH, CHUNK = 32, 64, 16
LENGTHS = (64, 256, 1024, 4096)
RULES: dict[str, Rule] = {"linear": Additive(), "delta": Delta(), "momentum": MomentumMemory(),
                          "preconditioned": Preconditioned()}  # fmt: skip
MESA: Rule = MesaByGradients(jnp.ones(()))  # its recurrent form solves a system per token
LONGEST_OF_MESA, LONGEST_GRADIENT = 256, 1024


def inputs(length: int) -> tuple[Tokens, jax.Array]:
    """Return tokens of all sequences, with keys of one length and rates for which no rule diverges, and queries."""
    keys = jax.random.split(jax.random.key(length), 4)
    k, v, q = (jax.random.normal(key, (BATCH, length, WIDTH)) for key in keys[:3])
    gates = jax.random.uniform(keys[3], (3, BATCH, length))
    k = k * WIDTH**0.5 / jnp.linalg.norm(k, axis=-1, keepdims=True)  # so that mean squares of coordinates are 1
    return Tokens(k, v, 0.5 / WIDTH * gates[0], 0.9 + 0.1 * gates[1], 0.5 * gates[2]), q


def programs(length: int) -> dict[tuple[str, str, str], Callable]:
    """Return {(layer, form, pass): compiled function of tokens and queries}."""
    start, rules = jnp.zeros((WIDTH, WIDTH)), {**RULES, **({"mesa": MESA} if length <= LONGEST_OF_MESA else {})}
    mask_TxS = jnp.tril(jnp.ones((length, length), bool))
    forms = {("softmax", "parallel"): lambda t, q: Softmax()(q, t.keys, t.values, mask_TxS)}
    for name, rule in rules.items():
        forms[name, "recurrent"] = lambda t, q, rule=rule: recurrent(rule, start, t, q)[1]
        forms[name, "chunkwise"] = lambda t, q, rule=rule: chunkwise(rule, start, t, q, CHUNK)[1]
    every = {(*name, "forward"): jax.vmap(form) for name, form in forms.items()}
    for name, form in forms.items():
        if name[0] != "mesa" and (length <= LONGEST_GRADIENT or name[1] == "chunkwise"):
            every[*name, "gradient"] = jax.grad(lambda t, q, form=form: jnp.sum(jax.vmap(form)(t, q) ** 2), (0, 1))
    return {name: jax.jit(function).lower(*inputs(length)).compile() for name, function in every.items()}


def seconds(function: Callable[[], object]) -> float:
    jax.block_until_ready(function())  # so that the memory which the program before it gave back does not count
    begun = time.process_time()
    jax.block_until_ready(function())
    return time.process_time() - begun


def distance(arrays: list[np.ndarray], expected: list[np.ndarray]) -> float:
    """Return the largest difference of two lists of arrays, relative to the largest number of each array."""
    pairs = zip(arrays, expected, strict=True)
    return max(float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)) for a, b in pairs)


def main(rounds: int) -> None:
    """Print the table."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(
        ["layer", "form", "pass", "length", "seconds", "smallest", "largest", "rounds", "difference", "ratio"]
    )
    for length in LENGTHS:
        tokens, queries = inputs(length)
        calls = {name: functools.partial(each, tokens, queries) for name, each in programs(length).items()}
        outputs = {name: jax.tree.leaves(jax.device_get(call())) for name, call in calls.items()}
        taken = [{name: seconds(call) for name, call in calls.items()} for _ in range(rounds)]
        medians = {name: statistics.median(each[name] for each in taken) for name in calls}
        for name in calls:
            times = [each[name] for each in taken]
            numbers = (f"{each:.4g}" for each in (medians[name], min(times), max(times)))
            recurrent_form = (name[0], "recurrent", name[2])
            beside = ["", ""]
            if recurrent_form in calls:
                apart = distance(outputs[name], outputs[recurrent_form])
                beside = [f"{apart:.1e}", f"{medians[recurrent_form] / medians[name]:.3g}"]
            writer.writerow([*name, length, *numbers, rounds, *beside])
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
