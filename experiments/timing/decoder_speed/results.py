"""The results of `decoder_speed`: the time of the lab's step over the times of other programs, within each round."""

from analysis.figures.cited import own
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Quantity
from analysis.results.timing import milliseconds, share_of_flops

SIZE = ("width", "layers", "prompts", "tokens")  # columns: of a token, of the decoder, per step, of a prompt
PROGRAMS = {"lab": "the lab", "by_hand": "written by hand in JAX", "torch": "PyTorch's Transformer"}

HEADLINES = (milliseconds, share_of_flops)
ANSWER = (
    "a training step of the lab's decoder takes {milliseconds.lab} ms",
    "written by hand in JAX it takes {milliseconds.by_hand} ms",
    "PyTorch's Transformer takes {milliseconds.torch} ms",
)


def ratio(one: str, other: str) -> Quantity:
    """Return the time of one program over that of another, at every size."""
    return milliseconds.along(SIZE, one) / milliseconds.along(SIZE, other)


def no_slower(other: str) -> Bounds:
    """Return the bound of a lab that is as fast as another program."""
    return ratio("lab", other) < 1.1


CLAIMS = (
    claim(
        "A decoder's training step in the lab takes no longer than the same step written by hand.",
        own("measured here"),
        no_slower("by_hand"),
        "the mean over rounds",
        repeats="rounds",
    ),
    claim(
        "It takes no longer than that of PyTorch's Transformer.",
        own("measured here"),
        no_slower("torch"),
        "the mean over rounds",
        repeats="rounds",
    ),
)
