"""The sizes of `attention_ladder`: every episode is answered by the decoder and by the same with other attention."""

from experiments.duals.attention_ladder.settings import AttentionLadder
from lab.config import work
from lab.config.sizes import Sizes

OTHERS = 5  # rungs beside Taylor weights
FORWARD = 4  # passes of an episode: with and without examples, of either decoder


def sizes(settings: AttentionLadder) -> Sizes:
    """Return the sizes of a run, beyond those of the decoders that it starts from."""
    maker = work.maker_of(settings.command, settings.test)
    model, inputs = maker.model, work.width_of(maker.task)
    tokens = work.tokens_of(model, maker.task) - work.queries_of(maker.task) + settings.queries
    rungs, blocks = OTHERS + len(settings.degrees), -(-settings.eval.episodes // settings.eval.block)
    features = tokens * settings.features * model.width * model.num_layers
    one = FORWARD * (work.forward(model, tokens, inputs) + features / rungs)
    return Sizes(
        memory={
            "the episodes computed at a time": settings.eval.block
            * (FORWARD * work.activations(model, tokens) + work.FLOAT * tokens * settings.features * model.num_heads)
        },
        operations={"climbing": settings.seeds * rungs * blocks * settings.eval.block * one},
        silent={"climbing": settings.eval.block * (one + features)},
        seconds=15 + 4 * rungs,
    )
