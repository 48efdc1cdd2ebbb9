"""The arrays that the weights of an architecture are made of, random ones of these shapes, and where they lie.

On several devices heads and hidden units are split (Shoeybi et al. 2019): a device has some of the heads and some of
the MLP's hidden units, with the rows and columns of the matrices that belong to them, and some of the words. Norms are
on every device. What the compiler adds is two sums over devices per layer.
"""

import math

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from lab.language.arch import Arch
from lab.language.model import Params

Shape = tuple[int, ...]
COLUMNS, ROWS, WORDS = -1, -2, 0  # the axis that is split
AXIS = {"q": COLUMNS, "k": COLUMNS, "v": COLUMNS, "o": ROWS, "up": COLUMNS, "gate": COLUMNS, "down": ROWS}
AXIS |= {f"{name}_bias": axis for name, axis in AXIS.items() if axis == COLUMNS}
AXIS |= {"embed": WORDS, "head": WORDS, "head_bias": WORDS}


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


def sharding(mesh: Mesh | None, arch: Arch, name: str, rank: int) -> NamedSharding | None:
    """Return where an array of a model's parameters lies.

    Args:
        mesh: over all whose axes it is split, if their devices can have the same number of heads, groups, hidden units
            or words each; if not, every device has all of it. None: the first device.
        rank: number of its axes.
    """
    if mesh is None:
        return None
    spec: list[tuple[str, ...] | None] = [None] * rank
    if name in AXIS and _units(arch, name.removesuffix("_bias")) % mesh.size == 0:
        spec[AXIS[name]] = tuple(mesh.axis_names)
    return NamedSharding(mesh, PartitionSpec(*spec))


def _units(arch: Arch, name: str) -> int:
    """Return how many units of an array must stay whole: a head's columns belong together."""
    if name in ("embed", "head"):
        return arch.vocabulary
    if name in ("up", "gate", "down"):
        return arch.mlp_width
    return arch.groups if name in ("k", "v") else arch.heads
