"""The sizes of `language_dual`: every token's dual model attends to all tokens, in every head and layer."""

from experiments.duals.language_dual.settings import LanguageDual
from lab.config import work
from lab.config.sizes import Sizes
from trainers.language.sizes import shape_of, sizes_of_texts, tokens_of

MAPS = 2  # of features; with each number of them the prompt is read again


def sizes(settings: LanguageDual) -> Sizes:
    """Return the sizes of a run, beyond those of the training of the lab's own model."""
    readings = settings.queries * (1 + MAPS * len(settings.features))
    base = sizes_of_texts(settings, readings, 0, doing="reading", scores=False)
    layers, width, heads, _, _ = shape_of(settings.lm, settings.maker)
    _, query, context = tokens_of(settings)
    tokens, features = context + query, sum(settings.features)
    duals = 3 * layers * tokens**2 * width
    random = MAPS * layers * heads * features * (tokens + width / heads) * width / heads
    one = duals + random
    return base.plus(
        memory={
            "the weights of all heads": 2 * work.FLOAT * layers * heads * tokens**2,
            "the random features": 3 * work.FLOAT * layers * max(settings.features) * (width + heads * tokens / layers),
        },
        operations={"dual models": settings.seeds * settings.queries * one},
        silent={"dual models": one},
        seconds=10,
    )
