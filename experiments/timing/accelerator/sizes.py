"""The sizes of `accelerator`: checks and three programs, at the sizes of a CPU, which are refused if too large.

The larger ones run on an accelerator alone, whose memory JAX knows.
"""

from experiments.timing.accelerator.settings import STEPS, Accelerator
from lab.config import work
from lab.config.sizes import Sizes

COMPILED, CHECKS, PROGRAMS, MATRICES = 6, 9, 3, 3 * 4 * 4096**2 + 4 * 2**27  # seconds; and bytes of the highest rates


def sizes(settings: Accelerator) -> Sizes:
    """Return the sizes of a run on a CPU."""
    scale = settings.small
    size, tokens = scale.decoder, 2 * scale.examples
    weights = work.COPIES * work.FLOAT * work.weights_of(size, size.num_heads + tokens)
    stream_tokens = (scale.window + scale.targets) * 12
    decoder = scale.prompts * work.BACKWARD * work.forward(size, tokens, size.num_heads)
    stream = scale.prompts * work.BACKWARD * work.forward(size, stream_tokens, size.width)
    layers = scale.population * scale.batch_size * work.BACKWARD * 11 * 11 * 11
    a_call = STEPS * (decoder + layers) + stream
    repeated = settings.rounds + 5  # four calls say how many fit a measurement, and one comes before the rounds
    return Sizes(
        memory={
            "the weights": 2 * weights,
            "the highest rates": MATRICES,
            "prompts": scale.prompts * (work.activations(size, tokens) + work.activations(size, stream_tokens)),
            "layers": 4 * work.FLOAT * scale.population * scale.batch_size * 11 * 11,
        },
        operations={"measuring": repeated * a_call, "training": 4 * settings.steps * decoder},
        silent={"a round": a_call, "training": settings.steps * decoder},
        seconds=10 + (CHECKS + PROGRAMS) * COMPILED + (settings.rounds + 3) * PROGRAMS * settings.seconds,
        wait=PROGRAMS * settings.seconds,
    )
