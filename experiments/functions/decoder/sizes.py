"""The sizes of `decoder`: its training, and a measurement by numbers of examples at the end."""

from experiments.functions.decoder.settings import Decoder
from lab.config import work
from lab.config.sizes import Sizes


def sizes(settings: Decoder) -> Sizes:
    """Return the sizes of a run."""
    task, model = settings.task, settings.model
    measured = settings.eval.episodes * len(settings.counts) * settings.seeds
    one = work.forward(model, work.tokens_of(model, task), work.width_of(task))
    return work.decoder_sizes(settings).plus(operations={"the measurement at the end": measured * one})
