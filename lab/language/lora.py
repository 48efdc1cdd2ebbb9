"""Low-rank adaptation of a language model (Hu et al. 2021, "LoRA", section 4.1): W + (alpha / r) A B, and W stays.

A model with factors is read along two paths, x W + (alpha / r) (x A) B, whose gradient in the factors needs no array of
the size of W; or it is merged into weights of the old shapes. A starts random and B as 0, so that at first nothing
changes.

Shape suffixes: L layers, I inputs and O outputs of a projection, R the rank r.
"""

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp

from lab.errors import ConfigError, short
from lab.language.model import LanguageModel, Params
from lab.language.scoring import exact

PROJECTIONS = ("q", "k", "v", "o", "up", "gate", "down")  # the matrices of a layer
Factors = dict[str, Params]
"""{projection: {"a": (L, I, R), "b": (L, R, O)}}, in float32 at least."""


def begin(model: LanguageModel, names: Sequence[str], rank: int, key: jax.Array) -> Factors:
    """Return factors of some projections: A of variance 1 / I, and B = 0.

    Raises:
        ConfigError: the model has no projection of one of these names.
    """
    layers, factors = model.params["layers"], {}
    for name, one in zip(names, jax.random.split(key, len(names)), strict=True):
        if name not in PROJECTIONS or name not in layers:
            there = ", ".join(each for each in PROJECTIONS if each in layers)
            raise ConfigError(f"lora.projections={short(name)}: the model has {there}")
        count, inputs, outputs = layers[name].shape
        dtype = exact(layers[name][:0]).dtype
        a_LxIxR = inputs**-0.5 * jax.random.normal(one, (count, inputs, rank), dtype)
        factors[name] = {"a": a_LxIxR, "b": jnp.zeros((count, rank, outputs), dtype)}
    return factors


def adapted(model: LanguageModel, factors: Factors, alpha: jax.Array | float) -> LanguageModel:
    """Return the model with factors beside its weights."""
    arrays = {}
    for name, each in factors.items():
        arrays |= {f"{name}_a": each["a"], f"{name}_b": alpha / each["a"].shape[-1] * each["b"]}
    return _with(model, arrays)


def merged(model: LanguageModel, factors: Factors, alpha: jax.Array | float) -> LanguageModel:
    """Return the model with the factors in its weights, whose types and shapes stay."""
    layers = model.params["layers"]

    def sum_of(name: str, each: Params) -> jax.Array:
        change = alpha / each["a"].shape[-1] * (each["a"] @ each["b"])
        return (layers[name] + change).astype(layers[name].dtype)

    return _with(model, {name: sum_of(name, each) for name, each in factors.items()})


def _with(model: LanguageModel, changed: Params) -> LanguageModel:
    return dataclasses.replace(model, params=model.params | {"layers": model.params["layers"] | changed})
