"""The sizes of `dti_reach`: theorems on small decoders, each of which is compiled, and the reach of trained ones."""

from experiments.clicks.dti_reach.settings import DtiReach
from lab.config import work
from lab.config.sizes import Sizes

COMPILED = 1.2  # seconds per case
FEATURES, PASSES = 2, 6  # features of an item; forward passes of a theorem, beside those of sliding windows
DOUBLE = 2  # times the bytes of float32


def sizes(settings: DtiReach) -> Sizes:
    """Return the sizes of a run, beyond those of the decoders that it starts from."""
    window, targets = settings.num_context, settings.num_targets
    operations = memory = 0.0
    for layers in settings.layers:
        model = work.Decoder(layers, settings.model.width, settings.model.num_heads, settings.model.mlp_width)
        one = settings.eval.users * work.stream_forward(model, window, targets, FEATURES)
        windows = settings.eval.users * targets * work.stream_forward(model, window, 1, FEATURES)
        operations += (PASSES + work.BACKWARD) * one + windows
        together = work.stream_activations(model, window, targets, FEATURES)
        apart = targets * work.stream_answering(model, window, 1, FEATURES)
        memory = max(memory, DOUBLE * settings.eval.users * (together + apart))
    cases = len(settings.schemes) * len(settings.positions)
    return Sizes(
        memory={"prompts of the theorems": memory},
        operations={"theorems": cases * operations},
        silent={"a theorem": operations},
        seconds=8 + COMPILED * cases * len(settings.layers) + 5 * len(settings.inputs()),
    )
