"""Features of the softmax kernel exp(x . y): random ones, `maps` of sampled `frequencies`, and `exact` ones, on given
points or up to a bounded remainder. Nothing here attends, or has weights that are trained."""

import jax

from lab.features.frequencies import SAMPLERS
from lab.features.maps import FEATURE_MAPS, FeatureMap


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
