"""The shape of a softmax Transformer, which all kinds with a decoder share. No JAX here."""

from dataclasses import dataclass

from lab.config.key_checks import check_heads
from tasks.settings import key, positive


@dataclass
class DecoderShape:
    """The decoder: softmax attention and an MLP in each layer."""

    num_layers: int = key(3, "Layers of the decoder; each is compiled, and 64 take minutes.", at_least=1, at_most=64)
    width: int = positive(64, "D, the width of a token.")
    num_heads: int = positive(4, "Heads of each attention layer.")
    mlp_width: int = positive(256, "Hidden units of each layer's MLP.")

    def check(self) -> None:
        """Check that the heads fit the width (ConfigError)."""
        check_heads(self)
