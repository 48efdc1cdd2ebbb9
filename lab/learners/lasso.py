"""Lasso: w minimises 1/(2n) sum_i (w . f_i - y_i)^2 + penalty ||w||_1 over the n examples, as in scikit-learn.

It is followed along its path (Osborne, Presnell and Turlach 2000; Efron et al. 2004): with C = 1/n sum f f^T and
c = 1/n sum y f, w is 0 at the penalty max_j |c_j|. Where the penalty falls, the coordinates A that are not zero, of
signs s, move along C_AA^-1 s, which keeps |c - C w|_j equal to the penalty for all of A, until another coordinate gets
there, or one of A becomes zero. So w is exact at any penalty after a few steps; descent takes thousands of sweeps at a
small penalty with fewer examples than coordinates.
"""

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import ByQuery

STEPS = 6  # per coordinate: more than a path was ever seen to take


@struct.dataclass
class Path:
    """A point of the path. w, sign: (F,), the latter of the coordinates that may move. moves: (F,) bool. dropped: (F,)
    bool, the one that became zero in the last step. penalty: ()."""

    w: jax.Array
    sign: jax.Array
    moves: jax.Array
    dropped: jax.Array
    penalty: jax.Array


class Lasso(ByQuery):
    """Answers by the Lasso's linear model, with one w per output."""

    def __init__(self, layout: TokenLayout, penalty: float | jax.Array):
        super().__init__(layout)
        self.penalty = nnx.Param(jnp.asarray(penalty))

    def answer(self, f_NxF: jax.Array, y_NxY: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        count = jnp.maximum(jnp.sum(visible_N), 1)
        second_FxF, product_FxY = f_NxF.T @ f_NxF / count, f_NxF.T @ y_NxY / count
        w_FxY = jax.vmap(lasso, in_axes=(None, 1, None), out_axes=1)(second_FxF, product_FxY, self.penalty[...])
        return f_F @ w_FxY


def lasso(second_FxF: jax.Array, product_F: jax.Array, penalty: jax.Array) -> jax.Array:
    """Return w (F,) that minimises w . C w / 2 - c . w + penalty ||w||_1, with C = `second` and c = `product`."""
    width = len(product_F)
    first = jnp.argmax(jnp.abs(product_F))
    start = Path(
        w=jnp.zeros_like(product_F),
        sign=jnp.sign(product_F),
        moves=jnp.arange(width) == first,
        dropped=jnp.zeros(width, bool),
        penalty=jnp.maximum(jnp.abs(product_F[first]), penalty),
    )

    def goes_on(state: tuple[jax.Array, Path]) -> jax.Array:
        return (state[0] < STEPS * width) & (state[1].penalty > penalty)

    def step(state: tuple[jax.Array, Path]) -> tuple[jax.Array, Path]:
        return state[0] + 1, _next(state[1], second_FxF, product_F, penalty)

    return jax.lax.while_loop(goes_on, step, (jnp.asarray(0), start))[1].w


def _next(path: Path, second_FxF: jax.Array, product_F: jax.Array, penalty: jax.Array) -> Path:
    """Return the next point at which a coordinate begins or ceases to move, or that of the penalty itself."""
    both_FxF = path.moves[:, None] & path.moves[None]
    matrix_FxF = jnp.where(both_FxF, second_FxF, jnp.eye(len(product_F)))
    along_F = jnp.where(path.moves, jnp.linalg.solve(matrix_FxF, jnp.where(path.moves, path.sign, 0.0)), 0.0)
    rest_F, fall_F = product_F - second_FxF @ path.w, second_FxF @ along_F
    # A coordinate begins to move where its rest, or minus that, is as large as the penalty.
    joins_2xF = jnp.stack([_ratio(path.penalty - rest_F, 1 - fall_F), _ratio(path.penalty + rest_F, 1 + fall_F)])
    # One that has just become zero still has such a rest, and can only begin again with the other sign.
    again_2xF = path.dropped[None] & (jnp.stack([path.sign, -path.sign]) > 0)
    joins_2xF = jnp.where(path.moves[None] | again_2xF, jnp.inf, joins_2xF)
    ceases_F = jnp.where(path.moves, _ratio(-path.w, along_F), jnp.inf)
    ceases_F = jnp.where(path.w == 0, jnp.inf, ceases_F)  # it has just begun
    to_join, to_cease, to_end = jnp.min(joins_2xF), jnp.min(ceases_F), path.penalty - penalty
    length = jnp.minimum(jnp.minimum(to_join, to_cease), to_end)
    ends, joins = length >= to_end, to_join <= to_cease
    side, place = jnp.divmod(jnp.argmin(joins_2xF), len(product_F))
    is_join_F = ~ends & joins & (jnp.arange(len(product_F)) == place)
    is_cease_F = ~ends & ~joins & (jnp.arange(len(product_F)) == jnp.argmin(ceases_F))
    return Path(
        w=jnp.where(is_cease_F, 0.0, path.w + length * along_F),
        sign=jnp.where(is_join_F, 1.0 - 2.0 * side, path.sign),
        moves=(path.moves | is_join_F) & ~is_cease_F,
        dropped=is_cease_F,
        penalty=jnp.where(ends, penalty, path.penalty - length),
    )


def _ratio(a_F: jax.Array, b_F: jax.Array) -> jax.Array:
    """Return a / b where it is at least 0 and b is not 0, else infinity."""
    ratio_F = a_F / jnp.where(b_F == 0, 1.0, b_F)
    return jnp.where((b_F != 0) & (ratio_F >= 0), ratio_F, jnp.inf)
