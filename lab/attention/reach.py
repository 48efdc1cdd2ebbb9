"""How far back tokens and [SUM]s of a stream see in each layer, counted in interactions.

With limits w_1 .. w_L a [SUM] hears of interactions up to w_1 + .. + w_L before it, through tokens that see others.
"""

import dataclasses

Limit = int | None  # None: all that comes before


@dataclasses.dataclass(frozen=True)
class Window:
    """Everybody sees n interactions back, in every layer [DTI]: after L layers L n."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        """Of tokens, and of [SUM]s. window: n. layer: from 0."""
        return window, window


@dataclasses.dataclass(frozen=True)
class Full(Window):
    """No window."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        return None, None


@dataclasses.dataclass(frozen=True)
class Local(Window):
    """Tokens see their own interaction, and [SUM]s n of them: after any number of layers n."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        return 0, window


@dataclasses.dataclass(frozen=True)
class Split(Window):
    """Limits that add up to n over the layers, 0 in the first: after the last n. With one layer it is a window."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        if num_layers == 1:
            return window, window
        share = 0 if layer == 0 else (window * layer) // (num_layers - 1) - (window * (layer - 1)) // (num_layers - 1)
        return share, share
