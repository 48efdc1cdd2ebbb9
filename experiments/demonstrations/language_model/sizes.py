"""The sizes of `language_model`: its training, and the test documents in four sorts, with and without wrong words."""

from experiments.demonstrations.language_model.settings import LanguageModel
from lab.config import work
from lab.config.sizes import Sizes
from lab.config.small_language import SmallModel
from tasks.texts.words import PER_EXAMPLE, WORDS


def sizes(settings: LanguageModel) -> Sizes:
    """Return the sizes of a run."""
    model, train, evaluation = settings.model, settings.train, settings.eval
    tokens = PER_EXAMPLE * settings.task.num_context
    one = reading(model, tokens)
    weights = work.FLOAT * weights_of(model)
    arrays = work.FLOAT * tokens * model.num_layers * (work.ARRAYS * model.width + model.num_heads * tokens)
    logits = work.FLOAT * tokens * len(WORDS)
    block = evaluation.block * (arrays / model.num_layers + 2 * logits)
    looks = 20 * 256 * one
    return Sizes(
        memory={
            "the model in training": work.COPIES * weights,
            "a batch in training": train.batch_size * (arrays + 3 * logits),
            "the documents measured at a time": block,
        },
        operations={
            "training": work.BACKWARD * train.steps * train.batch_size * one,
            "evaluations": looks + 4 * evaluation.documents * one,
        },
        silent={
            "training": work.BACKWARD * -(-train.steps // 20) * train.batch_size * one,
            "evaluations": 4 * evaluation.block * one,
        },
        seconds=25,
    )


def weights_of(model: SmallModel) -> float:
    """Return the number of weights."""
    layer = 4 * model.width**2 + 3 * model.width * model.mlp_width
    return model.num_layers * layer + 2 * len(WORDS) * model.width


def reading(model: SmallModel, tokens: float) -> float:
    """Return the multiply-adds of reading so many tokens."""
    return tokens * (weights_of(model) + 2 * model.num_layers * tokens * model.width)
