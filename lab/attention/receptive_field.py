"""The number of interactions that tokens and [SUM]s of a stream see back in each layer.

With limits w_1 .. w_L a [SUM] depends on interactions up to w_1 + .. + w_L before it, through tokens that see others.
"""

import dataclasses

Limit = int | None  # None: all that comes before


@dataclasses.dataclass(frozen=True)
class Window:
    """All tokens and [SUM]s see n interactions back in every layer [DTI], which adds up to L n after L layers."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        """Return the limit of tokens, and that of [SUM]s. window: n. layer: counted from 0."""
        return window, window


@dataclasses.dataclass(frozen=True)
class Full(Window):
    """No window: all that comes before is seen."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        return None, None


@dataclasses.dataclass(frozen=True)
class Local(Window):
    """Tokens see their own interaction alone, and [SUM]s n interactions back, after any number of layers."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        return 0, window


@dataclasses.dataclass(frozen=True)
class Split(Window):
    """Limits that add up to n over the layers, with 0 in the first; with one layer it is a window."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        if num_layers == 1:
            return window, window
        share = 0 if layer == 0 else (window * layer) // (num_layers - 1) - (window * (layer - 1)) // (num_layers - 1)
        return share, share
