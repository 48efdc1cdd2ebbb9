"""The sizes of `dti_cost`: programs of several ways to answer the same targets are compiled and timed."""

from experiments.clicks.dti_cost.settings import DtiCost
from lab.config import work
from lab.config.sizes import Sizes

PASSES, COMPILED = 2, 8  # forward, and both directions; seconds per program
MLP = 4  # width of MLPs, in widths of the decoder


def sizes(settings: DtiCost) -> Sizes:
    """Return the sizes of a run."""
    rounds, ways = settings.rounds + 2, 2 * (2 + len(settings.blocks))  # each at once and in parts
    calls = memory = 0.0
    for window, targets, tokens, width in settings.sizes:
        model = work.Decoder(settings.model.num_layers, width, settings.model.num_heads, MLP * width)
        prompts = -(-settings.targets // targets)
        streamed = prompts * work.stream_forward(model, window, targets, tokens - 1)
        slid = settings.targets * work.stream_forward(model, window, 1, tokens - 1)
        calls += work.BACKWARD * ((ways - 2) * streamed + 2 * slid)
        both = (
            settings.targets * work.stream_activations(model, window, 1, tokens - 1),
            prompts * work.stream_activations(model, window, targets, tokens - 1),
        )
        memory = max(memory, *both)
    programs = PASSES * ways * len(settings.sizes)
    return Sizes(
        memory={"the prompts of a size": memory},
        operations={"measuring": rounds * calls},
        silent={"measuring": rounds * calls / len(settings.sizes)},
        seconds=programs * (COMPILED + rounds * settings.seconds),
        wait=ways * rounds * settings.seconds,
    )
