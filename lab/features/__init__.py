"""Random features of the softmax kernel: maps phi with E[phi(x) . phi(y)] = kappa(x, y) = exp(x . y).

Each file is one map: a struct whose leaf is an array of M random frequencies, called on vectors (.., A) to give their F
features (.., F), and beside it `variance(x_A, y_A, num_features)`, the exact variance of phi(x) . phi(y) for
independent frequencies.

`gram` and `taylor` are functions without randomness: exact on given points, and up to a bounded remainder.

JAX 0.10 compares the structures of dataclasses by their fields, whatever their types: `jit` may take the program of
another map for one of the same shape. So each map has its name as a static field.
"""

import jax

from lab.features import hyperbolic, positive, trigonometric
from lab.features.frequencies import SAMPLERS
from lab.features.hyperbolic import Hyperbolic
from lab.features.positive import Positive
from lab.features.trigonometric import Trigonometric

FeatureMap = Trigonometric | Positive | Hyperbolic

FEATURE_MAPS: dict[str, type[FeatureMap]] = {
    "trigonometric": Trigonometric,
    "positive": Positive,
    "hyperbolic": Hyperbolic,
}
VARIANCES = {
    "trigonometric": trigonometric.variance,
    "positive": positive.variance,
    "hyperbolic": hyperbolic.variance,
}


def draw(name: str, sampler: str, key: jax.Array, num_features: int, width: int, *axes: int) -> FeatureMap:
    """A feature map with frequencies of its own.

    Args:
        name: of the map, in FEATURE_MAPS.
        sampler: of its frequencies, in SAMPLERS.
        num_features: F, a multiple of the map's features per frequency.
        width: A, of the vectors that it is for.
        axes: lengths of axes in front, one map for each place (heads, say); they are for `vmap` to map over.

    Returns:
        The map; its leaf is (*axes, M, A).
    """
    kind = FEATURE_MAPS[name]
    count, rest = divmod(num_features, kind.PER_FREQUENCY)
    if rest:
        raise ValueError(f"{num_features} features: {name} features come in multiples of {kind.PER_FREQUENCY}")
    return kind(SAMPLERS[sampler](key, (*axes, count, width)))
