"""Prompts and batches that would not fit the memory are refused before anything is compiled."""

from experiments.click_log.settings import ClickLogRun
from experiments.click_log.training import parts_of
from lab.learners.stream_shape import block_of
from tasks.logs.log import ClickLog
from trainers.limits import FLOAT, Limit, check_limits, usable_bytes


def check_sizes(settings: ClickLogRun, log: ClickLog) -> None:
    """
    Raises:
        ConfigError: as `check_limits`.
    """
    model, tokens = settings.model, len(log.slots) + 1
    interactions = model.num_context + model.targets
    size = settings.train.batch_size // parts_of(settings.train.batch_size, interactions) * settings.population.seeds
    block = block_of(model.block, model.num_context, model.targets)
    keys = interactions if block is None else min(interactions, model.num_context + 2 * block)  # keys of a query
    scores = FLOAT * size * model.num_layers * model.num_heads * interactions * keys * tokens**2
    whole = {"train.batch_size": 1, "population.seeds": 1, "model.num_layers": 1, "model.num_heads": 1}
    lengths = {"model.targets": 1 if block else 2, "model.num_context": 2 if not block else 1}
    embedded = FLOAT * (log.vocabulary_size + interactions * size * model.num_layers * tokens) * model.width
    check_limits(
        settings,
        [
            Limit("attention scores of a batch would not fit the memory", scores, usable_bytes(), whole | lengths),
            Limit("the tokens of a batch would not fit the memory", embedded, usable_bytes(), {"model.width": 1}),
        ],
    )
