"""Rows of the table `identities`: what was measured of a statement, and whether it holds."""

import dataclasses
import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

# An answer goes through some hundred roundings of 1e-16 each, of numbers up to 10: errors of 1e-15 to 1e-13.
TOLERANCE = 1e-12
# Different functions are a thousand times further apart than equal ones may be. Batch and online descent are apart by
# the order of beta^2 (cross-entropy: 3e-2 at beta = 0.2, 9e-7 at beta = 0.001): this decides above beta = 1e-4.
DIFFERENCE = 1e3 * TOLERANCE
# What is lost of an effect, as a share of it: an approximation is better than to leave the effect out.
WHOLE_EFFECT = 1.0

Measured = dict[str, dict[str, "jax.Array | Bounded"]]  # {identity: {variant: error}}


# Programs that run once: compiling them would take longer than running them does.
quick_jit = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


@dataclasses.dataclass(frozen=True)
class Statement:
    """A sentence about two functions.

    relation: `equal`, `different`, or `approximate` where one keeps a part of what the other does.
    share: what is measured is a share of something, whose mean over the cases counts, not the largest.
    """

    text: str
    source: str = "derived here"
    relation: str = "equal"
    share: bool = False


class Bounded(NamedTuple):
    """The error of an approximation, and the bound that a theorem gives it."""

    error: jax.Array
    bound: jax.Array


def distance(answers, expected, largest: float | jax.Array = 1.0) -> jax.Array:
    """The largest absolute difference, relative to the largest of the expected numbers where that exceeds 1.

    Args:
        answers, expected: arrays of the same shape.
        largest: a number inside the computation, such as a kernel value, whose rounding the difference is relative to.
    """
    return jnp.max(jnp.abs(answers - expected)) / jnp.maximum(jnp.max(jnp.abs(expected)), jnp.maximum(1.0, largest))


def lost_share(kept, full, without) -> jax.Array:
    """|kept - full| / |full - without|: the share of an effect that an approximation loses."""
    return jnp.linalg.norm(kept - full) / jnp.linalg.norm(full - without)


def rows_of(topic: str, statements: dict[str, Statement], measured: Measured) -> list[dict]:
    """One row per identity and variant, in the order of the statements."""
    return [
        row(topic, identity, statement, variant, value)
        for identity, statement in statements.items()
        for variant, value in measured[identity].items()
    ]


def row(topic: str, identity: str, statement: Statement, variant: str, value) -> dict:
    """What the errors of all cases say of a statement.

    Args:
        value: the errors (cases,), or those with their bounds.
    """
    errors, bounds = (np.asarray(each) for each in (value if isinstance(value, Bounded) else (value, WHOLE_EFFECT)))
    error = float(np.mean(errors) if statement.share else np.max(errors))
    tolerance = {"equal": TOLERANCE, "different": DIFFERENCE, "approximate": float(np.max(bounds)) + TOLERANCE}
    bound = tolerance[statement.relation]
    return {
        "topic": topic,
        "statement": statement.text,
        "variant": variant,
        "source": statement.source,
        "identity": identity,
        "relation": statement.relation,
        "error": error,
        "tolerance": bound,
        "holds": int(error > bound if statement.relation == "different" else error <= bound),
    }
