"""Settings with a few named values. No JAX here, so that the command line can list them at once."""

import enum


class Injection(enum.Enum):
    """How the documents of an episode enter a Transformer's K and V."""

    pooled = "pooled"  # one row, of their mean [RAG-GD]
    each = "each"  # one row a document


class Platform(enum.Enum):
    """The kind of device that a run insists on."""

    none = "none"
    cpu = "cpu"
    gpu = "gpu"
    tpu = "tpu"


class Figure(enum.Enum):
    """What a finished run is drawn as: one file each in `analysis/figures/`."""

    training = "training"  # of one run
    fig1 = "fig1"  # of the parts of one
    depth = "depth"
