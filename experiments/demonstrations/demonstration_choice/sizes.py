"""The sizes of `demonstration_choice`: every set of demonstrations is shown to all queries of its episode."""

from experiments.demonstrations.demonstration_choice.settings import DemonstrationChoice
from lab.config import work
from lab.config.sizes import Sizes


def sizes(settings: DemonstrationChoice) -> Sizes:
    """Return the sizes of a run, beyond those of the decoders that it starts from."""
    maker = work.maker_of(settings.command, settings.test)
    queries = max(settings.validation) + settings.queries
    tokens = maker.model.instructions + settings.examples + queries
    inputs, length = work.width_of(maker.task), maker.model.instructions + settings.examples + settings.followed
    path = work.forward(maker.model, length, inputs) * (1 + settings.examples / maker.model.num_layers)
    one = settings.sets * (work.forward(maker.model, tokens, inputs) + path)
    context = maker.model.instructions + settings.examples
    answering = work.answering(maker.model, context) + work.answering(maker.model, queries, 2 * context)
    blocks = -(-settings.eval.episodes // settings.eval.block)
    scores = 3 * work.FLOAT * settings.sets * queries
    return Sizes(
        memory={
            "the episodes computed at a time": settings.eval.block * settings.sets * answering,
            "the scores of all episodes": 4 * settings.eval.episodes * scores,
        },
        operations={"choosing": settings.seeds * blocks * settings.eval.block * one},
        silent={"choosing": settings.eval.block * one},
        seconds=15,
    )
