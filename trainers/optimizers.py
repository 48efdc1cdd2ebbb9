"""What turns gradients into updates: a row a method, each made from its learning rate's schedule."""

from collections.abc import Callable

import jax
import optax

from lab.config.choices import Optimizer

LearningRate = Callable[[jax.Array], jax.Array]


def muon(learning_rate: LearningRate) -> optax.GradientTransformation:
    """Muon: a matrix moves along its momentum with all singular values made one; what is no matrix moves by Adam.

    For deep stacks. Near the optimum a few episodes have gradients thousands of times larger than the rest, along the
    directions in which the stack is about to diverge. Adam scales its steps by them entry by entry and hardly moves any
    more; Muon bounds every direction alike.
    """
    return optax.contrib.muon(learning_rate, muon_weight_dimension_numbers=_matrices)


def _matrices(parameters):
    """Weights are ([heads,] rows, columns)."""

    def dimensions(p):
        return optax.contrib.MuonDimensionNumbers(p.ndim - 2, p.ndim - 1) if p.ndim >= 2 else None

    return jax.tree.map(dimensions, parameters)


OPTIMIZERS: dict[Optimizer, Callable[[LearningRate], optax.GradientTransformation]] = {
    Optimizer.adam: optax.adam,
    Optimizer.adamw: optax.adamw,
    Optimizer.muon: muon,
}
