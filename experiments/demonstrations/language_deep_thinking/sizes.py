"""The sizes of `language_deep_thinking`: every set of demonstrations is read again, and answered, for every setting."""

from experiments.demonstrations.language_deep_thinking.settings import LanguageDeepThinking
from lab.config.sizes import Sizes
from trainers.language.sizes import sizes_of_texts


def sizes(settings: LanguageDeepThinking) -> Sizes:
    """Return the sizes of a run, beyond those of the training of the lab's own model."""
    pairs = len(settings.eta) * len(settings.beta) * len(settings.offset)
    readings = pairs * settings.iterations + 2 * len(settings.offset)
    return sizes_of_texts(settings, readings, settings.validation, doing="reading again")
