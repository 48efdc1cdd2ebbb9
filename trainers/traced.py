"""The size of a traced program, before it is compiled: its operations, and the axes of its largest array."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import jax
from jax.extend.core import Jaxpr, jaxprs_in_params


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
    operations, shapes = 0.0, [leaf.shape for leaf in jax.tree.leaves(traced.out_info)]
    for shape, times in _operations(traced.jaxpr.jaxpr):
        operations += times
        shapes.append(shape)
    return Size(operations, max(shapes, key=math.prod, default=()))


def _operations(jaxpr: Jaxpr, turns: float = 1.0) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield for every operation the shape of its largest result, and its multiply-adds."""
    for equation in jaxpr.eqns:
        inner = [*jaxprs_in_params(equation.params)]
        for each in inner:
            yield from _operations(each, turns * equation.params.get("length", 1))
        shape = max((getattr(out.aval, "shape", ()) for out in equation.outvars), key=math.prod, default=())
        summed = 1.0
        if equation.primitive.name == "dot_general":
            (contracted, _), _ = equation.params["dimension_numbers"]
            factor: Any = equation.invars[0].aval
            summed = math.prod(factor.shape[axis] for axis in contracted)
        yield shape, 0.0 if inner else turns * math.prod(shape) * summed
