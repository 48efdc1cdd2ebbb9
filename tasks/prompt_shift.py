"""Prompts from other distributions than that of training [Garg22, section 5], for any class of real functions.

The inputs of the context may have another distribution, and queries may differ from the examples. Query t still sees
the t examples before it. Unless they are scaled on purpose, all inputs keep E |x|^2 = X, so E f^2 of a linear function
stays the same.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import struct

from tasks.episode import Episode
from tasks.functions.function import Weights
from tasks.functions.real import RealFunctions
from tasks.wrapper import Wrapper

MOVED = 3  # folded into an episode's key, for what moves its inputs

# A function (key, x_BxNxX) -> inputs of the context and of the queries, each (B, N, X).
Inputs = Callable[[jax.Array, jax.Array], tuple[jax.Array, jax.Array]]


def same(key: jax.Array, x_BxNxX: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Leave the inputs as they are in training, where the context's inputs are the queries too."""
    return x_BxNxX, x_BxNxX


def skewed(key: jax.Array, x_BxNxX: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Give x a covariance with eigenvalues proportional to 1 / i^2 and eigenvectors drawn for each episode."""
    return _along_axes(key, x_BxNxX, 1 / (1.0 + jnp.arange(x_BxNxX.shape[-1])))


def subspace(key: jax.Array, x_BxNxX: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Put x into a subspace of half of the dimensions (rounded up), drawn for each episode."""
    width = x_BxNxX.shape[-1]
    return _along_axes(key, x_BxNxX, jnp.where(jnp.arange(width) < (width + 1) // 2, 1.0, 0.0))


def orthants(key: jax.Array, x_BxNxX: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Put the context into a random orthant, and the queries, which are new inputs, into a second random orthant."""
    key_signs, key_query = jax.random.split(key)
    signs_2xBx1xX = jax.random.rademacher(key_signs, (2, len(x_BxNxX), 1, x_BxNxX.shape[-1]), x_BxNxX.dtype)
    query_BxNxX = jax.random.normal(key_query, x_BxNxX.shape, x_BxNxX.dtype)
    return jnp.abs(x_BxNxX) * signs_2xBx1xX[0], jnp.abs(query_BxNxX) * signs_2xBx1xX[1]


def orthogonal(key: jax.Array, x_BxNxX: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Draw each query orthogonal to the examples that it sees, with squared length X, or 0 if these span all of R^X."""
    count, width = x_BxNxX.shape[1:]
    query_BxNxX = jax.random.normal(key, x_BxNxX.shape, x_BxNxX.dtype)

    def one(x_NxX: jax.Array, query_NxX: jax.Array) -> jax.Array:
        def step(basis_XxX: jax.Array, example: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
            """Extend the basis of the examples, orthonormal rows and zeros from row t on, and return query t.

            The projection is done twice, since rounding errors of the first one are left.
            """
            t, x_X, query_X = example
            left_X = _without(basis_XxX, _without(basis_XxX, query_X))
            orthogonal_X = left_X * jnp.sqrt(width) / jnp.linalg.norm(left_X)
            new_X = _without(basis_XxX, _without(basis_XxX, x_X))
            basis_XxX = basis_XxX.at[t].set(new_X / jnp.linalg.norm(new_X), mode="drop")
            return basis_XxX, jnp.where(t < width, orthogonal_X, 0.0)

        return jax.lax.scan(step, jnp.zeros((width, width), x_NxX.dtype), (jnp.arange(count), x_NxX, query_NxX))[1]

    return x_BxNxX, jax.vmap(one)(x_BxNxX, query_BxNxX)


def repeated(key: jax.Array, x_BxNxX: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Draw each query uniformly from the examples that it sees; the first query, which sees none, is a new input."""
    key_choice, key_first = jax.random.split(key)
    batch, count, _ = x_BxNxX.shape
    uniform_BxN = jax.random.uniform(key_choice, (batch, count))
    chosen_BxN = jnp.floor(uniform_BxN * jnp.arange(count)[None]).astype(int)
    query_BxNxX = jnp.take_along_axis(x_BxNxX, chosen_BxN[..., None], axis=1)
    first_Bx1xX = jax.random.normal(key_first, x_BxNxX[:, :1].shape, x_BxNxX.dtype)
    return x_BxNxX, jnp.concatenate([first_Bx1xX, query_BxNxX[:, 1:]], axis=1)


INPUTS: dict[str, Inputs] = {each.__name__: each for each in (same, skewed, subspace, orthants, orthogonal, repeated)}


def _along_axes(key: jax.Array, x_BxNxX: jax.Array, factor_X: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Scale x along axes that are drawn for each episode, by these factors divided by their root mean square."""
    width = len(factor_X)
    axes_BxXxX = jnp.linalg.qr(jax.random.normal(key, (len(x_BxNxX), width, width), x_BxNxX.dtype))[0]
    factor_X = factor_X / jnp.sqrt(jnp.mean(factor_X**2))
    moved_BxNxX = jnp.einsum("bnx,byx->bny", x_BxNxX * factor_X[None, None], axes_BxXxX)
    return moved_BxNxX, moved_BxNxX


def _without(basis_XxX: jax.Array, x_X: jax.Array) -> jax.Array:
    """Return x minus its projection on the span of the basis."""
    return x_X - (basis_XxX @ x_X) @ basis_XxX


@struct.dataclass
class PromptShift(Wrapper, RealFunctions):
    """`task` with other inputs. The same key gives the same functions, and the same inputs before they are changed.

    alpha: factor of all inputs. teacher: factor of the functions. more_noise: standard deviation of further noise on
    the context's answers. shape: the name of the change of the inputs in `INPUTS`.
    """

    task: RealFunctions
    alpha: jax.Array | float = 1.0
    teacher: jax.Array | float = 1.0
    more_noise: jax.Array | float = 0.0
    shape: str = struct.field(pytree_node=False, default="same")  # a name of INPUTS

    @property
    def input_dim(self):
        return self.task.input_dim

    @property
    def noise(self):
        return jnp.sqrt(self.task.noise**2 + self.more_noise**2)

    @property
    def second_moment(self):
        """Return E f^2 of functions with f(a x) = a f(x), such as linear ones; it is wrong for others."""
        return self.task.second_moment * (self.alpha * self.teacher) ** 2

    def draw(self, key: jax.Array, count: int) -> Weights:
        return self.task.draw(key, count)

    def apply(self, weights: Weights, x_NxX: jax.Array) -> jax.Array:
        return self.teacher * self.task.apply(weights, x_NxX)

    def sample(self, key: jax.Array, batch: int) -> Episode:
        key_functions, key_inputs, key_noise = jax.random.split(key, 3)
        x_BxNxX = self.task.inputs(key_inputs, batch, self.num_context)
        context, query = INPUTS[self.shape](jax.random.fold_in(key, MOVED), x_BxNxX)
        weights, context, query = self.draw(key_functions, batch), self.alpha * context, self.alpha * query
        answers = self.answers(key_noise, self.values(weights, context))
        return self.episodes(context, answers, query, self.values(weights, query))
