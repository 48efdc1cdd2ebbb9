"""Settings of a self-attention Transformer that is meta-trained on regression. No JAX here."""

from dataclasses import dataclass

from lab.config.base import LARGEST
from lab.config.choices import AttentionKind, Features, Injection, LayerKind, SequenceKind
from lab.errors import ConfigError
from tasks.settings import key, positive


@dataclass
class Model:
    """The self-attention Transformer."""

    num_layers: int = key(
        1, "Layers of the Transformer; each is compiled, and 64 take minutes.", at_least=1, at_most=64
    )
    num_heads: int = positive(1, "Heads of each attention layer.")
    recurrent: bool = key(True, "All layers share one block of weights.")
    clip: float | None = key(None, "Bound on activations after each layer, of all learners; null: none.", above=0)
    layout: SequenceKind = key(SequenceKind.merged, "Tokens of an example: one of x and y (merged), or x, then y.")
    first: AttentionKind = key(
        AttentionKind.softmax, "With interleaved tokens, the attention of the layer in front that merges them."
    )
    injection: Injection = key(Injection.pooled, "How documents enter keys and values: not, as their mean, or each.")
    features: Features = key(Features.inputs, "Features of the inputs that the first layer sees in place of these.")
    hidden: int = positive(64, "Hidden units of the MLP that computes the features.")
    layer: LayerKind = key(LayerKind.linear, "Kind of layer.")
    num_features: int | None = key(
        None, "Number of features, with model.features=mlp; null: as many as inputs.", at_least=1, at_most=LARGEST
    )

    @property
    def interleaved(self) -> bool:
        """Return whether inputs and answers are separate tokens, which a layer in front of the others has to merge."""
        return self.layout is SequenceKind.interleaved

    def check(self) -> None:
        """Check that the settings fit together.

        Raises:
            ConfigError: `num_features` is set for features other than an MLP's, or `layer` for interleaved tokens.
        """
        if self.num_features is not None and self.features is not Features.mlp:
            raise ConfigError(
                f"model.num_features={self.num_features}: of features that an MLP makes alone, so it needs "
                "model.features=mlp"
            )
        if self.interleaved and self.layer is not LayerKind.linear:
            raise ConfigError(
                f"model.layer={self.layer.name}: of merged tokens; with model.layout=interleaved leave it out"
            )
