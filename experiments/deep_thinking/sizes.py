"""The sizes of `deep_thinking`: every episode is read several times, with each rate and momentum."""

from experiments.deep_thinking.settings import DeepThinking
from lab.config import work
from lab.config.sizes import Sizes


def sizes(settings: DeepThinking) -> Sizes:
    """Return the sizes of a run, beyond those of the decoders that it starts from."""
    maker = work.maker_of(settings.command, settings.test)
    tokens = work.tokens_of(maker.model, maker.task) - work.queries_of(maker.task) + settings.queries
    readings = settings.iterations * len(settings.eta) * len(settings.beta)
    one = readings * work.forward(maker.model, tokens, work.width_of(maker.task))
    block = settings.eval.block
    episodes = sum(-(-count // block) * block for count in (settings.eval.episodes, settings.validation))
    answers = work.FLOAT * readings * settings.queries * 4
    return Sizes(
        memory={
            "the episodes computed at a time": settings.eval.block
            * (2 * work.answering(maker.model, tokens) * len(settings.eta) * len(settings.beta) + answers),
            "what is measured": 3 * (settings.eval.episodes + settings.validation) * answers,
        },
        operations={"reading": settings.seeds * episodes * one},
        silent={"reading": settings.eval.block * one},
        seconds=25,
    )
