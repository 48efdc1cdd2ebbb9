"""Settings of the decoder that learns to recommend from demonstrations. No JAX here."""

from dataclasses import dataclass, field

from tasks.settings import positive


@dataclass
class RecommenderModel:
    """The decoder; each of its heads has keys and values of its own."""

    num_layers: int = field(default=3, metadata={"at_least": 1, "at_most": 64})
    width: int = positive(48)  # D
    num_heads: int = positive(4)
    mlp_width: int = positive(192)
