"""The weights of a language model on several devices: heads and hidden units are split (Shoeybi et al. 2019).

A device has some of the heads and some of the MLP's hidden units, with the rows and columns of the matrices that belong
to them, and some of the words. Norms are on every device. What the compiler adds is two sums over devices per layer.
"""

from jax.sharding import Mesh, NamedSharding, PartitionSpec

from lab.language.arch import Arch

COLUMNS, ROWS, WORDS = -1, -2, 0  # the axis that is split
AXIS = {"q": COLUMNS, "k": COLUMNS, "v": COLUMNS, "o": ROWS, "up": COLUMNS, "gate": COLUMNS, "down": ROWS}
AXIS |= {f"{name}_bias": axis for name, axis in AXIS.items() if axis == COLUMNS}
AXIS |= {"embed": WORDS, "head": WORDS, "head_bias": WORDS}


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
