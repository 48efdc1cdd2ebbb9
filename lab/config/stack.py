"""Settings of a self-attention Transformer that is meta-trained on regression. No JAX here."""

from dataclasses import dataclass, field

from lab.config.base import LARGEST
from lab.config.choices import AttentionKind, Features, Injection, LayerKind, SequenceKind
from lab.errors import ConfigError
from tasks.settings import positive


@dataclass
class Model:
    """The self-attention Transformer."""

    num_layers: int = field(default=1, metadata={"at_least": 1, "at_most": 64})  # each is compiled: 64 take minutes
    num_heads: int = positive(1)
    recurrent: bool = True  # all layers share one block of weights
    # Bound on the activations after each layer, of the learners that it is compared with as well.
    clip: float | None = field(default=None, metadata={"above": 0})
    layout: SequenceKind = SequenceKind.merged  # interleaved: x, then y, with positions, and one more layer in front
    first: AttentionKind = AttentionKind.softmax  # the attention of that layer in front
    injection: Injection = Injection.pooled
    features: Features = Features.inputs  # features of the inputs, in place of these, in front of the first layer
    hidden: int = positive(64)  # width of the MLP that computes the features
    layer: LayerKind = LayerKind.linear
    # The number of features, with features=mlp; null: as many as inputs.
    num_features: int | None = field(default=None, metadata={"at_least": 1, "at_most": LARGEST})

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
