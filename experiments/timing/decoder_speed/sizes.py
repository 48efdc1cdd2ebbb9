"""The sizes of `decoder_speed`: three programs of a decoder's training step are compiled and timed."""

from experiments.timing.decoder_speed.settings import DecoderSpeed
from lab.config import work
from lab.config.sizes import Sizes

PROGRAMS, COMPILED = 3, 8  # the lab's, by hand, PyTorch's; seconds to compile one


def sizes(settings: DecoderSpeed) -> Sizes:
    """Return the sizes of a run."""
    model, tokens = settings.model, 2 * settings.examples
    step = settings.prompts * work.BACKWARD * work.forward(model, tokens, settings.input_dim)
    numbers = work.FLOAT * settings.prompts * tokens * settings.input_dim
    return Sizes(
        memory={
            "the weights": PROGRAMS * work.FLOAT * work.COPIES * work.weights_of(model, settings.input_dim + tokens),
            "a batch": settings.prompts * work.activations(model, tokens) + 4 * numbers,
        },
        operations={"measuring": PROGRAMS * (settings.rounds + 3) * step},
        silent={"a round": PROGRAMS * step},
        seconds=10 + PROGRAMS * (COMPILED + (settings.rounds + 1) * settings.seconds),
        wait=PROGRAMS * settings.seconds,
    )
