"""The sizes of `language_finetune`: a set is read once and learned at every rate, and by three arms at the best one."""

import dataclasses

from experiments.demonstrations.icl_vs_finetune.results import ARMS
from experiments.demonstrations.language_finetune.settings import LanguageFinetune
from lab.config import work
from lab.config.sizes import Sizes
from trainers.language.sizes import shape_of, sizes_of_texts, tokens_of

TRACES = 3  # zero-shot, in context, fine-tuned: what is kept of the last token of all test rows


def sizes(settings: LanguageFinetune) -> Sizes:
    """Return the sizes of a run, beyond those of the training of the lab's own model."""
    base = sizes_of_texts(settings, 1, settings.validation, doing="fine-tuning")
    layers, width, heads, mlp, vocabulary = shape_of(settings.lm, settings.maker)
    rows, query, context = tokens_of(settings)
    of_token = layers * (4 * width**2 + 3 * width * mlp) + vocabulary * width
    rates, arms = len(settings.learning_rates), len(ARMS)
    learned = work.BACKWARD * settings.epochs * context * of_token  # of one arm and rate
    chosen = rates * (learned + settings.validation * query * of_token)
    measured = arms * (learned + 2 * rows * query * of_token)  # answers, and the arrays of the last token
    compared = arms * rows * layers * context * 2 * width * 2  # with every token that was learned, in two ways
    operations = settings.seeds * (chosen + measured + compared) + base.work
    arrays = TRACES * rows * layers * (2 * width + heads * query) + 2 * context * layers * width
    return dataclasses.replace(
        base,
        memory={
            **base.memory,
            "the arrays of the last tokens": work.FLOAT * arrays,
            "the gradients": 3 * work.FLOAT * layers * 2 * width**2,
        },
        operations={"fine-tuning": operations},
        silent={"fine-tuning": max(learned + rows * query * of_token, *base.silent.values())},
    )
