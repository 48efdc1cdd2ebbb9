"""The table of errors along the training, and the control that a training was at its end. No JAX: figures read it."""

from analysis.figures.controls import Control
from analysis.results.column import LAST, Column, nearest
from analysis.results.quantity import Every

CURVES = "curves"  # the table with one row per layer, step of the training and seed
SEED, LAYER, STEP, PART = "seed", "layer", "step", "part"

at_step = Column(CURVES, "error", "squared error", "Squared error of the layer during its training, on the same "
                 "`eval.block` episodes of the seed at every step.", LAYER)  # fmt: skip


def at_its_end(layers: tuple[str, ...], *parts: str, distance: float) -> Control:
    """Return the control that the second half of the training changes the errors of layers by less than a distance."""
    end, half = (at_step.where(part=parts, step=when) for when in (LAST, nearest(0.5)))
    changes = [(end.along(PART, layer) - half.along(PART, layer)).within(distance) for layer in layers]
    names = " and ".join(filter(None, (", ".join(layers[:-1]), layers[-1])))
    return Control(f"the training of {names} is at its end on {' and '.join(parts)}", Every(tuple(changes)))
