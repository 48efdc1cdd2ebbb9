"""Operations outside a program are NumPy's. JAX compiles each for its shapes: 14 ms for one addition,
or 3 where the compiled program is kept. In tests most are called once.

NumPy answers where its answer is XLA's bit by bit: what moves numbers, compares them, or is one operation of IEEE 754
on each. Sums, products of matrices and functions are rounded differently and are compiled; so are quotients, as XLA
multiplies by the reciprocal of a constant, a program of two operations that round, as XLA may fuse a product and a sum,
and whatever meets subnormal numbers, which XLA takes for zero. What traces, checks and promotes is JAX's own."""

import functools
import weakref
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax._src import config, core, pjit
from jax._src.array import ArrayImpl
from jax._src.named_sharding import UNSPECIFIED
from jax._src.sharding_impls import SingleDeviceSharding

ROUND = {"add", "sub", "mul", "square", "integer_pow"}
TYPES = {np.dtype(name) for name in ("bool", "int32", "uint32", "int64", "uint64", "uint8", "float32", "float64")}
_run: Any = getattr(pjit, "_pjit_call_impl_python", None)  # None: another version, with which nothing is installed
_programs: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # jaxpr -> whether NumPy knows it


def install() -> None:
    """For JAX 0.10: all this is private."""
    pjit._pjit_call_impl_python = run


def run(*arguments, jaxpr, **params):
    if not ordinary(jaxpr, arguments, params):
        return _run(*arguments, jaxpr=jaxpr, **params)
    with np.errstate(all="ignore"):
        results = evaluated(jaxpr, *arguments)
    if any(map(subnormal, (*arguments, *results))):
        return _run(*arguments, jaxpr=jaxpr, **params)
    return [array(*pair) for pair in zip(results, jaxpr.out_avals, strict=True)], None, None, []


def ordinary(jaxpr: core.ClosedJaxpr, arguments, params) -> bool:
    """Whether NumPy knows the program, and nobody has said where or how it runs."""
    if jaxpr not in _programs:
        _programs[jaxpr] = known(jaxpr) and sum(rounded(jaxpr)) <= 1
    if not _programs[jaxpr] or any(params["donated_invars"]) or params["compiler_options_kvs"]:
        return False
    if any(s is not UNSPECIFIED for s in (*params["in_shardings"], *params["out_shardings"])):
        return False
    if config.debug_nans.value or config.debug_infs.value or config.default_device.value or params["ctx_mesh"].shape:
        return False
    return all(map(alone, arguments))


def alone(argument) -> bool:
    if isinstance(argument, ArrayImpl):
        return not argument._committed and not argument.is_deleted() and argument.sharding == here()
    return isinstance(argument, np.ndarray | np.generic | bool | int | float)


def subnormal(value) -> bool:
    """Whether any is a float between zero and the smallest that has all its digits."""
    numbers = np.asarray(value)
    if numbers.dtype.kind != "f":
        return False
    size = np.abs(numbers)
    return bool(np.any((size > 0) & (size < np.finfo(np.float32 if numbers.dtype == np.float32 else np.float64).tiny)))


@functools.cache
def here() -> SingleDeviceSharding:
    return SingleDeviceSharding(jax.devices()[0])


def array(result: np.ndarray, aval: core.ShapedArray) -> jax.Array:
    made = jax.device_put(np.array(result, aval.dtype), may_alias=False)
    if not aval.weak_type:
        return made
    return ArrayImpl(aval, made.sharding, [made], committed=False, _skip_checks=True)


def dtype(variable) -> Any:
    return getattr(variable.aval, "dtype", None)


def known(jaxpr: core.ClosedJaxpr) -> bool:
    variables = [*jaxpr.jaxpr.invars, *jaxpr.jaxpr.constvars, *(v for e in jaxpr.eqns for v in (*e.invars, *e.outvars))]
    if jaxpr.effects or not all(dtype(v) in TYPES for v in variables):
        return False
    return all(known(e.params["jaxpr"]) if e.primitive is pjit.jit_p else exact(e) for e in jaxpr.eqns)


def exact(e: core.JaxprEqn) -> bool:
    name, (given, *_), made = e.primitive.name, [dtype(v) for v in (*e.invars, *e.outvars)], dtype(e.outvars[0])
    if name not in NUMPY:
        return False
    if name == "convert_element_type":  # a float that no integer is near is not the same everywhere
        return made.kind == "f" or made.kind == "b" or given.kind != "f"
    if name == "square":
        return given.kind == "f"
    if name == "integer_pow":
        return e.params["y"] in (1, 2)
    if name == "reduce_sum":
        return given.kind in "iu"
    if name == "select_n":
        return given.kind == "b" and len(e.invars) == 3
    if name == "pad":
        return all(low >= 0 and high >= 0 and within == 0 for low, high, within in e.params["padding_config"])
    return name != "reshape" or e.params["dimensions"] is None


def rounded(jaxpr: core.ClosedJaxpr):
    for e in jaxpr.eqns:
        if e.primitive is pjit.jit_p:
            yield from rounded(e.params["jaxpr"])
        elif e.primitive.name in ROUND and dtype(e.outvars[0]).kind == "f":
            yield 1


def evaluated(jaxpr: core.ClosedJaxpr, *arguments) -> list[np.ndarray]:
    values = {}

    def read(v):
        return np.asarray(v.val if isinstance(v, core.Literal) else values[v], dtype(v))

    pairs = zip((*jaxpr.jaxpr.constvars, *jaxpr.jaxpr.invars), (*jaxpr.consts, *arguments), strict=True)
    for v, argument in pairs:
        values[v] = np.asarray(argument, dtype(v))
    for e in jaxpr.eqns:
        given = [read(v) for v in e.invars]
        if e.primitive is pjit.jit_p:
            made = evaluated(e.params["jaxpr"], *given)
        else:
            made = NUMPY[e.primitive.name](*given, **e.params)
        values.update(zip(e.outvars, made if isinstance(made, list) else [made], strict=True))
    return [read(v) for v in jaxpr.jaxpr.outvars]


def of_arrays(function: Callable) -> Callable:
    return lambda *arrays, **params: function(*arrays)


def over_axes(function: Callable) -> Callable:
    return lambda x, *, axes, **params: function(x, axis=tuple(axes))


def broadcast_in_dim(x, *, shape, broadcast_dimensions, **params):
    sizes = [1] * len(shape)
    for place, size in zip(broadcast_dimensions, x.shape, strict=True):
        sizes[place] = size
    return np.broadcast_to(x.reshape(sizes), shape)


def starts(x, first, sizes) -> tuple[slice, ...]:
    """XLA moves a slice that would reach over the end back into the array."""
    places = [min(max(int(i), 0), n - size) for i, n, size in zip(first, x.shape, sizes, strict=True)]
    return tuple(slice(i, i + size) for i, size in zip(places, sizes, strict=True))


def dynamic_update_slice(x, update, *first, **params):
    x = x.copy()
    x[starts(x, first, update.shape)] = update
    return x


def iota(*, dtype, shape, dimension, **params):
    sizes = [-1 if i == dimension else 1 for i in range(len(shape))]
    return np.broadcast_to(np.arange(shape[dimension], dtype=dtype).reshape(sizes), shape)


def strided(x, *, start_indices, limit_indices, strides, **params):
    steps = strides or (1,) * x.ndim
    return x[tuple(slice(*three) for three in zip(start_indices, limit_indices, steps, strict=True))]


NUMPY: dict[str, Callable] = {
    "add": of_arrays(np.add),
    "sub": of_arrays(np.subtract),
    "mul": of_arrays(np.multiply),
    "square": of_arrays(lambda x: x * x),
    "integer_pow": lambda x, *, y, **params: x * x if y == 2 else x,
    "neg": of_arrays(np.negative),
    "abs": of_arrays(np.abs),
    "max": of_arrays(np.maximum),
    "min": of_arrays(np.minimum),
    "not": of_arrays(np.invert),
    "and": of_arrays(np.bitwise_and),
    "or": of_arrays(np.bitwise_or),
    "eq": of_arrays(np.equal),
    "ne": of_arrays(np.not_equal),
    "lt": of_arrays(np.less),
    "le": of_arrays(np.less_equal),
    "gt": of_arrays(np.greater),
    "ge": of_arrays(np.greater_equal),
    "is_finite": of_arrays(np.isfinite),
    "copy": of_arrays(lambda x: x),
    "select_n": of_arrays(lambda which, no, yes: np.where(which, yes, no)),
    "convert_element_type": lambda x, *, new_dtype, **params: x.astype(new_dtype),
    "reduce_sum": over_axes(np.sum),
    "reduce_max": over_axes(np.max),
    "reduce_min": over_axes(np.min),
    "reduce_and": over_axes(np.all),
    "reduce_or": over_axes(np.any),
    "broadcast_in_dim": broadcast_in_dim,
    "reshape": lambda x, *, new_sizes, **params: x.reshape(new_sizes),
    "squeeze": lambda x, *, dimensions: np.squeeze(x, tuple(dimensions)),
    "tile": lambda x, *, reps: np.tile(x, reps),
    "transpose": lambda x, *, permutation: np.transpose(x, permutation),
    "rev": lambda x, *, dimensions: np.flip(x, dimensions),
    "concatenate": lambda *arrays, dimension: np.concatenate(arrays, dimension),
    "stack": lambda *arrays, axis: np.stack(arrays, axis),
    "unstack": lambda x, *, axis: [np.take(x, i, axis) for i in range(x.shape[axis])],
    "split": lambda x, *, sizes, axis: np.split(x, np.cumsum(sizes)[:-1], axis),
    "slice": strided,
    "dynamic_slice": lambda x, *first, slice_sizes: x[starts(x, first, slice_sizes)],
    "dynamic_update_slice": dynamic_update_slice,
    "iota": iota,
    "pad": lambda x, value, *, padding_config: np.pad(
        x, [(low, high) for low, high, _ in padding_config], constant_values=value
    ),
}
