"""The sizes of `deep_thinking`: every episode is read several times, with each rate and momentum, and answered."""

from experiments.demonstrations.deep_thinking.settings import DeepThinking
from lab.config import work
from lab.config.sizes import Sizes


def sizes(settings: DeepThinking) -> Sizes:
    """Return the sizes of a run, beyond those of the decoders that it starts from."""
    maker = work.maker_of(settings.command, settings.test)
    context = work.tokens_of(maker.model, maker.task) - work.queries_of(maker.task)
    pairs, block = len(settings.eta) * len(settings.beta), settings.eval.block
    width, operations, largest = work.width_of(maker.task), 0.0, 0.0
    for episodes, queries in (
        (settings.eval.episodes, max(settings.scored) + settings.queries),
        (settings.validation, settings.queries),
    ):
        one = settings.iterations * pairs * work.forward(maker.model, context + queries, width, context)
        operations += settings.seeds * -(-episodes // block) * block * one
        largest = max(largest, one)
    queries = max(settings.scored) + settings.queries
    answering = work.answering(maker.model, context) + work.answering(maker.model, queries, 2 * context)
    return Sizes(
        memory={"the episodes computed at a time": 2 * block * pairs * answering},
        operations={"reading": operations},
        silent={"reading": block * largest},
        seconds=25,
    )
