"""The optimisers by name, each made from the schedule of its learning rate."""

from collections.abc import Callable

import jax
import optax

from lab.config.choices import Optimizer


def muon(learning_rate: optax.Schedule) -> optax.GradientTransformation:
    """Return Muon: a matrix moves along its momentum with all singular values set to one; other arrays move by Adam.

    It is for deep stacks. Near the optimum a few episodes have gradients thousands of times larger than the rest, along
    the directions in which the stack is about to diverge. Adam scales its steps by them entry by entry and hardly moves
    any more; Muon bounds every direction alike.
    """
    return optax.contrib.muon(learning_rate, muon_weight_dimension_numbers=_matrices)


def _matrices(parameters):
    """Return which axes of each array are a matrix's rows and columns: weights are ([heads,] rows, columns)."""

    def dimensions(p):
        return optax.contrib.MuonDimensionNumbers(p.ndim - 2, p.ndim - 1) if p.ndim >= 2 else None

    return jax.tree.map(dimensions, parameters)


OPTIMIZERS: dict[Optimizer, Callable[[optax.Schedule], optax.GradientTransformation]] = {
    Optimizer.adam: optax.adam,
    Optimizer.adamw: optax.adamw,
    Optimizer.muon: muon,
}
