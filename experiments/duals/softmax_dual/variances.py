"""The variance of random-feature estimates of one kernel value, measured and by formula."""

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.softmax_dual import results
from experiments.duals.softmax_dual.results import COSINE, MAP, NORM, SEED
from experiments.duals.softmax_dual.settings import SoftmaxDual
from lab.features import FEATURE_MAPS
from lab.features.frequencies import iid
from lab.runs import console, interrupt
from trainers.streams import Stream, key_of

WIDTH = 2  # A; two dimensions suffice, as an estimate depends on the frequencies in the plane of x and y alone


def pair(norm: float, cosine: float) -> tuple[jax.Array, jax.Array]:
    """Return vectors x and y (A,) of the same norm, with this cosine of the angle between them."""
    return norm * jnp.array([1.0, 0.0]), norm * jnp.array([cosine, (1 - cosine**2) ** 0.5])


def estimates(kind: type, frequencies: jax.Array, x_A: jax.Array, y_A: jax.Array) -> jax.Array:
    """Return the estimates phi(x) . phi(y), each with the features of one frequency, (draws,).

    Args:
        kind: the feature map, made from frequencies (1, A).
        frequencies: (draws, A).
    """

    def estimate(frequency_A):
        features = kind(frequency_A[None])
        return features(x_A) @ features(y_A)

    return jax.vmap(estimate)(frequencies)


def measure(settings: SoftmaxDual) -> list[dict]:
    """Return one row per feature map, norm, cosine and seed, for estimates with one frequency each.

    To be called with 64-bit numbers enabled, since differences of squares lose digits.
    """
    rows, drawing = [], settings.variances

    def moments(kind, *arguments):
        sample = estimates(kind, *arguments)
        return jnp.mean(sample), jnp.var(sample, ddof=1)

    measured = jax.jit(moments, static_argnums=0)
    for seed in range(settings.seed, settings.seed + settings.seeds):
        interrupt.check()
        frequencies = iid(key_of(seed, Stream.frequencies), (drawing.draws, WIDTH))
        with console.busy(f"variances, seed {seed}"):
            for name, kind in FEATURE_MAPS.items():
                for norm, cosine in ((norm, cosine) for norm in drawing.norms for cosine in drawing.cosines):
                    x_A, y_A = pair(norm, cosine)
                    mean, variance = measured(kind, frequencies, x_A, y_A)
                    rows.append(
                        {
                            MAP: name,
                            NORM: norm,
                            COSINE: cosine,
                            SEED: seed,
                            "kernel": float(np.exp(x_A @ y_A)),
                            "mean": float(mean),
                            results.variance.name: float(variance),
                            results.formula.name: float(kind.variance(x_A, y_A, kind.PER_FREQUENCY)),
                        }
                    )
    return rows
