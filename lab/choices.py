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
