"""Settings of the decoder that learns to recommend from demonstrations. No JAX here."""

from dataclasses import dataclass

from tasks.settings import key, positive


@dataclass
class RecommenderModel:
    """The decoder; each of its heads has keys and values of its own."""

    num_layers: int = key(3, "Layers of the decoder.", at_least=1, at_most=64)
    width: int = positive(48, "D, the width of a token.")
    num_heads: int = positive(4, "Heads of each attention layer.")
    mlp_width: int = positive(192, "Hidden units of each layer's MLP.")
