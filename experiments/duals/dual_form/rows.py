"""Rows of the table `identities`: the measured error of each statement, and whether the statement holds."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.dual_form import identities
from experiments.duals.dual_form.identities import error as error_column

Measured = dict[str, dict[str, "jax.Array | Bounded"]]  # {identity: {variant: error}}


@dataclasses.dataclass(frozen=True)
class Statement:
    """A statement that two functions are equal or different, or that one approximates the other.

    text: the statement as a sentence. source: the paper and its equations.
    relation: `equal`, `different`, or `approximate` if a theorem bounds how far they are apart.
    share: the error is the share of an effect that is lost, and its mean over the cases counts; else the largest error
        counts.
    in_every_case: the two functions are different in every case, so that the least error counts.
    """

    text: str
    source: str = "derived here"
    relation: str = "equal"
    share: bool = False
    in_every_case: bool = False


class Bounded(NamedTuple):
    """The error of an approximation, and the bound that a theorem gives it."""

    error: jax.Array | np.ndarray
    bound: jax.Array | np.ndarray


def distance(answers, expected, largest: float | jax.Array = 1.0) -> jax.Array:
    """Return the largest absolute difference, relative to the largest absolute expected number if that exceeds 1.

    Args:
        answers, expected: arrays of the same shape.
        largest: the largest number within the computation, such as a kernel value, if it exceeds the expected numbers:
            its rounding errors enter the answers, so the difference is relative to it.
    """
    return jnp.max(jnp.abs(answers - expected)) / jnp.maximum(jnp.max(jnp.abs(expected)), jnp.maximum(1.0, largest))


def lost_share(approximate, full, no_effect) -> jax.Array:
    """Return |approximate - full| / |full - no_effect|, the share of an effect that an approximation loses.

    Args:
        approximate, full, no_effect: answers of the same shape: of the approximation, exact, and without the effect.
    """
    return jnp.linalg.norm(approximate - full) / jnp.linalg.norm(full - no_effect)


def over_cases(measure: Callable[..., Any], *cases: Any) -> Any:
    """Return what a function measures of every case; the cases are the first axis of its arguments.

    The program runs once, so it is compiled without optimization, which would take longer than it saves.
    """
    return jax.jit(jax.vmap(measure), compiler_options={"xla_backend_optimization_level": 0})(*cases)


def rows_of(topic: str, statements: dict[str, Statement], measured: Measured) -> list[dict]:
    """Return one row per identity and variant, in the order of the statements."""
    return [
        row(topic, identity, statement, variant, value)
        for identity, statement in statements.items()
        for variant, value in measured[identity].items()
    ]


def row(topic: str, identity: str, statement: Statement, variant: str, value) -> dict:
    """Return the row of one statement: its error over all cases, its tolerance, and whether it holds.

    Args:
        value: the errors (cases,), or those of an approximation with their bounds as `Bounded`.
    """
    errors = np.asarray(value.error if isinstance(value, Bounded) else value)
    over_cases = np.mean if statement.share else np.min if statement.in_every_case else np.max
    error = float(over_cases(errors))
    if isinstance(value, Bounded):
        bound = float(np.max(value.bound)) + identities.EQUAL
    else:
        bound = {"equal": identities.EQUAL, "different": identities.DIFFERENT}[statement.relation]
    return {
        identities.TOPIC: topic,
        identities.STATEMENT: statement.text,
        identities.VARIANT: variant,
        identities.SOURCE: statement.source,
        identities.IDENTITY: identity,
        identities.RELATION: statement.relation,
        error_column.name: error,
        identities.TOLERANCE: bound,
        identities.HOLDS: int(bound < error < math.inf if statement.relation == "different" else error <= bound),
    }
