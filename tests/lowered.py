"""Programs of one process share what they are lowered to. JAX writes each operation of each program in Python, which
is a third of the time of a test whose compiled programs are kept; draws of random numbers are half of that.

An operation is written once for all programs of a context and copied into each, as JAX does within one program.
What has a meaning in its own program alone is not shared: calls of its functions, constants, effects, callbacks."""

import itertools
import re

from jax._src import config, core
from jax._src.interpreters import mlir
from jax._src.random import threefry2x32
from jax._src.sharding_impls import ShardingContext

PROGRAMS = 200  # of one context: it holds their constants
_SYMBOL = re.compile(r"(?<!custom_call )@")  # of the program; a custom call's is XLA's
_make_context, _write, _call = mlir.make_ir_context, mlir._cached_lowering_miss, mlir.core_call_lowering
_count, _contexts, _written = itertools.count(), [], {}


def install() -> None:
    """For JAX 0.10: all this is private."""
    mlir.make_ir_context = make_context
    mlir._cached_lowering_miss = write
    # The body of a loop is no function of its own; nor is a draw. Both could not be copied. The loops are the same.
    mlir.register_lowering(core.closed_call_p, inlined, cacheable=False)
    mlir.register_lowering(threefry2x32.threefry2x32_p, threefry2x32._threefry2x32_cpu_lowering_rule)


def make_context():
    """Of the 20 ms in which a small program is lowered and compiled, making a context for it takes 3."""
    if next(_count) % PROGRAMS == 0:
        _written.clear()
        _contexts[:] = [_make_context()]
    return _contexts[0]


def write(ctx, eqn, cache_key, avals_in, **params):
    devices = ctx.axis_context.num_devices if isinstance(ctx.axis_context, ShardingContext) else 0
    if ctx.context is not _contexts[0] or devices != 1 or ctx.shape_poly_state.dim_vars:
        return _write(ctx, eqn, cache_key, avals_in, **params)
    key = cache_key, config.trace_context()
    entry = _written.get(key)
    if entry is None:
        outside = len(ctx.keepalives), len(ctx.host_callbacks)
        entry = _write(ctx, eqn, cache_key, avals_in, **params)
        alone = entry.inline and not entry.const_args and not eqn.effects
        alone = alone and outside == (len(ctx.keepalives), len(ctx.host_callbacks))
        if alone and len(_SYMBOL.findall(str(entry.func))) == 1:  # its own name
            _written[key] = entry
    ctx.lowering_cache[cache_key] = entry
    return entry


def inlined(ctx, *arguments, call_jaxpr):
    if call_jaxpr.effects:
        return _call(ctx, *arguments, name="closed_call", call_jaxpr=call_jaxpr)
    constants = mlir.ir_consts(call_jaxpr.consts, [v.aval for v in call_jaxpr.jaxpr.constvars])
    results, _ = mlir.jaxpr_subcomp(
        ctx.module_context, call_jaxpr.jaxpr, ctx.name_stack, mlir.TokenSet(), constants, *arguments,
        dim_var_values=ctx.dim_var_values, const_lowering=ctx.const_lowering, outer_traceback=ctx.traceback,
    )  # fmt: skip
    return results
