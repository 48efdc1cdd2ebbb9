"""Random features of the softmax kernel: maps phi with E[phi(x) . phi(y)] = kappa(x, y) = exp(x . y).

Each file has one map, a struct whose only leaf is an array of M random frequencies. Called on vectors (.., A), it gives
their F features (.., F). The file also has `variance(x_A, y_A, num_features)`, the exact variance of phi(x) . phi(y)
for independent frequencies.

`gram` and `taylor` are functions without randomness: the one is exact on given points, the other up to a bounded
remainder.

JAX 0.10 compares the structures of dataclasses by their fields and not by their types, so `jit` may run the compiled
program of another map of the same shape. So each map has its name as a static field.
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
    """Return a feature map with newly sampled frequencies.

    Args:
        name: the map's name in FEATURE_MAPS.
        sampler: the name in SAMPLERS of the way its frequencies are sampled.
        num_features: F, a multiple of the map's features per frequency.
        width: A, the width of the vectors that it is called on.
        axes: lengths of further axes in front, such as heads, for `vmap` to map over; each place has its own map.

    Returns:
        The map; its leaf is (*axes, M, A).

    Raises:
        ValueError: num_features is not such a multiple.
    """
    kind = FEATURE_MAPS[name]
    count, rest = divmod(num_features, kind.PER_FREQUENCY)
    if rest:
        raise ValueError(f"{num_features} features: {name} features come in multiples of {kind.PER_FREQUENCY}")
    return kind(SAMPLERS[sampler](key, (*axes, count, width)))
