"""The size of a traced program, before it is compiled: its operations, and the axes of its largest array."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import jax
from jax.extend.core import Jaxpr, JaxprEqn, jaxprs_in_params


@dataclasses.dataclass(frozen=True)
class Size:
    """The size of a program.

    operations: multiply-adds and results of elementwise operations; the body of a loop with an unknown number of turns
        counts once.
    lengths: lengths of the axes of its largest array.
    """

    operations: float
    lengths: tuple[int, ...]


def size_of(traced: jax.stages.Traced) -> Size:
    """Return the size of a traced program."""
    total, shapes = 0.0, [leaf.shape for leaf in jax.tree.leaves(traced.out_info)]
    for equation, turns in equations(traced.jaxpr.jaxpr):
        shapes.append(max((getattr(out.aval, "shape", ()) for out in equation.outvars), key=math.prod, default=()))
        if not [*jaxprs_in_params(equation.params)]:
            total += turns * math.prod(shapes[-1]) * (terms(equation) or 1)
    return Size(total, max(shapes, key=math.prod, default=()))


def equations(jaxpr: Jaxpr, turns: int = 1) -> Iterator[tuple[JaxprEqn, int]]:
    """Yield every equation, and those inside of it, with how often it runs.

    The body of a `scan` runs as often as it says, that of a `while` once, and of a `cond` all branches run.
    """
    for equation in jaxpr.eqns:
        yield equation, turns
        for inner in jaxprs_in_params(equation.params):
            yield from equations(inner, turns * equation.params.get("length", 1))


def terms(equation: JaxprEqn) -> int:
    """Return how many products each result of a product of matrices is the sum of; 0 for any other equation."""
    if equation.primitive.name != "dot_general":
        return 0
    (contracted, _), _ = equation.params["dimension_numbers"]
    factor: Any = equation.invars[0].aval
    return math.prod(factor.shape[axis] for axis in contracted)


def results(equation: JaxprEqn) -> int:
    """Return how many numbers the first result of an equation has."""
    result: Any = equation.outvars[0].aval
    return math.prod(result.shape)
