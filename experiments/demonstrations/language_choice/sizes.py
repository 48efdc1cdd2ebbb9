"""The sizes of `language_choice`: every set of every draw is read, and all rows are scored behind it."""

from experiments.demonstrations.language_choice.settings import LanguageChoice
from lab.config.sizes import Sizes
from trainers.language.sizes import sizes_of_texts


def sizes(settings: LanguageChoice) -> Sizes:
    """Return the sizes of a run, beyond those of the training of the lab's own model."""
    return sizes_of_texts(settings, settings.sets, max(settings.validation), doing="choosing")
