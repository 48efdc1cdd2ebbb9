"""The arrays that the weights of an architecture are made of, and random ones of these shapes."""

import math

import jax
import jax.numpy as jnp

from lab.language.arch import Arch
from lab.language.model import Params

Shape = tuple[int, ...]


def shapes(arch: Arch) -> dict[str, Shape]:
    """Return the shapes of a model's arrays outside its layers, by name."""
    table: dict[str, Shape] = {"embed": (arch.vocabulary, arch.embed_width)}
    if arch.position_offset is not None:
        assert arch.max_positions is not None
        table["positions"] = (arch.max_positions + arch.position_offset, arch.width)
    if arch.embed_width != arch.width:
        table |= {"project_in": (arch.embed_width, arch.width), "project_out": (arch.width, arch.embed_width)}
    if arch.norm_of_embeddings:
        table |= _norm(arch, "embed_norm", arch.width)
    if arch.norm_at_end:
        table |= _norm(arch, "norm", arch.width)
    if not arch.tied:
        table["head"] = (arch.vocabulary, arch.embed_width)
    if "head" in arch.biases:
        table["head_bias"] = (arch.vocabulary,)
    return table


def layer_shapes(arch: Arch) -> dict[str, Shape]:
    """Return the shapes of the arrays of one layer, by name; the model's have an axis of layers in front."""
    width, of_heads, of_groups = arch.width, arch.heads * arch.head_width, arch.groups * arch.head_width
    table = _norm(arch, "attention_norm", width)
    matrices = {"q": (width, of_heads), "k": (width, of_groups), "v": (width, of_groups), "o": (of_heads, width)}
    matrices |= {"up": (width, arch.mlp_width), "down": (arch.mlp_width, width)}
    if arch.gated:
        matrices["gate"] = (width, arch.mlp_width)
    for name, shape in matrices.items():
        table[name] = shape
        if name in arch.biases:
            table[f"{name}_bias"] = shape[1:]
    if arch.norm_of_heads:
        table |= _norm(arch, "q_norm", arch.head_width) | _norm(arch, "k_norm", arch.head_width)
    return table if arch.one_norm else table | _norm(arch, "mlp_norm", width)


def num_parameters(arch: Arch) -> int:
    """Return the number of weights of a model."""
    layer = sum(math.prod(shape) for shape in layer_shapes(arch).values())
    return arch.layers * layer + sum(math.prod(shape) for shape in shapes(arch).values())


def init_params(arch: Arch, key: jax.Array, dtype: str = "float32") -> Params:
    """Return random weights: matrices of variance 1 / fan-in, tables of words and positions of standard deviation .02.

    The matrices whose products are added to the tokens, `o` and `down`, are divided by sqrt(2 L), the root of the
    number of such additions (Radford et al. 2019, section 2.3). Norms start as 1 with bias 0, biases as 0.
    """

    def arrays(table: dict[str, Shape], key: jax.Array) -> Params:
        keys = jax.random.split(key, len(table))
        return {name: array(name, shape, keys[i]) for i, (name, shape) in enumerate(sorted(table.items()))}

    def array(name: str, shape: Shape, key: jax.Array) -> jax.Array:
        if name.endswith("_bias"):
            return jnp.zeros(shape, dtype)
        if name.endswith("norm"):
            return jnp.ones(shape, dtype)
        scale = 0.02 if name in ("embed", "positions") else shape[-1 if name == "head" else 0] ** -0.5
        if name in ("o", "down"):
            scale /= math.sqrt(2 * arch.layers)
        return (scale * jax.random.normal(key, shape)).astype(dtype)

    of_tables, of_layers = jax.random.split(key)
    layers = jax.vmap(lambda key: arrays(layer_shapes(arch), key))(jax.random.split(of_layers, arch.layers))
    return arrays(shapes(arch), of_tables) | {"layers": layers}


def _norm(arch: Arch, name: str, width: int) -> dict[str, Shape]:
    return {name: (width,)} if arch.rms else {name: (width,), f"{name}_bias": (width,)}
