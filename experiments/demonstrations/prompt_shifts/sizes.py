"""The sizes of `prompt_shifts`: every decoder answers shifted prompts, beside least squares."""

from experiments.demonstrations.prompt_shifts.settings import PromptShifts
from lab.config import work
from lab.config.sizes import Sizes

OTHERS = 5  # shifts beside those of scale: of the inputs' shape, and noise


def sizes(settings: PromptShifts) -> Sizes:
    """Return the sizes of a run, beyond those of the decoders that it starts from."""
    maker = work.maker_of(settings.command)
    tokens, inputs = work.tokens_of(maker.model, maker.task), work.width_of(maker.task)
    count = maker.task.num_context
    one = work.forward(maker.model, tokens, inputs) + count * (count * inputs**2 + inputs**3)
    parts = (OTHERS + 2 * len(settings.scales)) * settings.seeds
    return Sizes(
        memory={
            "the episodes": 4 * settings.eval.episodes * work.episode_bytes(maker.task),
            "the answers of a decoder": min(settings.eval.episodes, work.ANSWERED)
            * work.answering(maker.model, tokens),
        },
        operations={"answering": parts * settings.eval.episodes * one},
        silent={"answering": settings.eval.episodes * one},
        seconds=20,
    )
