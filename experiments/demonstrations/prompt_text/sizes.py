"""The sizes of `prompt_text`: a decoder and a prefix are trained for each seed, then operations are measured."""

import dataclasses

from experiments.demonstrations.prompt_text.settings import PromptText
from lab.config import work
from lab.config.sizes import Sizes


def sizes(settings: PromptText) -> Sizes:
    """Return the sizes of a run."""
    model, task, seeds = settings.model, settings.task, settings.seeds
    slate, width = getattr(task, "slate", 1), 2 * getattr(task, "item_dim", 1) + 1
    tokens = model.instructions + settings.prefix_tokens + settings.examples + settings.queries
    operations = 4 + len(settings.alpha)
    one = work.forward(model, tokens, width) + work.DRAW * (settings.examples + settings.queries) * slate * width
    blocks = -(-settings.eval.users // settings.eval.block)
    user = work.answering(model, tokens) + 8 * work.FLOAT * (settings.examples + settings.queries) * slate * width
    prefix = work.recommender_sizes(model, settings.prefix, task, tokens)
    decoder = work.recommender_sizes(model, settings.train, task)
    trained = decoder.plus(operations={"training the prefix": prefix.work}).times(seeds)
    return dataclasses.replace(trained, memory={}).plus(
        memory={"the users computed at a time": settings.eval.block * user},
        in_turn={"training": sum(decoder.memory.values()), "training the prefix": sum(prefix.memory.values())},
        operations={"measuring": 2 * seeds * blocks * settings.eval.block * operations * one},
        silent={"measuring": settings.eval.block * operations * one},
        seconds=15 + 10 * seeds,
    )
