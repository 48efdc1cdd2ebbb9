"""The decoder that learns to recommend from demonstrations. No JAX here."""

from dataclasses import dataclass, field

from tasks.settings import positive


@dataclass
class RecommenderModel:
    """The decoder, where the learner is one; its heads share no keys."""

    num_layers: int = field(default=3, metadata={"at_least": 1, "at_most": 64})
    width: int = positive(48)  # D
    num_heads: int = positive(4)
    mlp_width: int = positive(192)
