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
    recurrent: bool = True  # one block for all layers
    clip: float | None = field(default=None, metadata={"above": 0})  # bound on activations after each layer, for all
    layout: SequenceKind = SequenceKind.merged  # interleaved: x, then y, with positions, and one more layer in front
    first: AttentionKind = AttentionKind.softmax  # attention of that layer
    injection: Injection = Injection.pooled  # documents enter K and V as their mean, or one row each
    features: Features = Features.inputs  # of the inputs, before the first layer
    hidden: int = positive(64)  # width of the MLP that makes them
    layer: LayerKind = LayerKind.linear
    # How many, of features=mlp; null: as many as inputs.
    num_features: int | None = field(default=None, metadata={"at_least": 1, "at_most": LARGEST})

    @property
    def interleaved(self) -> bool:
        """Whether inputs and answers are tokens of their own, which a layer in front of the others has to merge."""
        return self.layout is SequenceKind.interleaved

    def check(self) -> None:
        """
        Raises:
            ConfigError: a number of features, of features that are not an MLP's alone.
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
