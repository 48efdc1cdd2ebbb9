"""The sizes of `icl_vs_finetune`: every episode is answered in context and after fine-tuning at each rate."""

from experiments.demonstrations.icl_vs_finetune.settings import IclVsFinetune
from lab.config import work
from lab.config.sizes import Sizes

ARMS = 3  # on the examples, on those of another episode, on shuffled labels
SCHEDULES = 2  # one epoch, and several steps on all examples


def sizes(settings: IclVsFinetune) -> Sizes:
    """Return the sizes of a run, beyond those of the decoders that it starts from."""
    maker = work.maker_of(settings.command, settings.test)
    model, examples, inputs = maker.model, maker.task.num_context, work.width_of(maker.task)
    tokens = work.tokens_of(model, maker.task) - work.queries_of(maker.task) + settings.queries
    zero = work.forward(model, model.instructions + 1, inputs)
    tuned = ARMS * work.BACKWARD * zero * examples * (1 + settings.steps) / SCHEDULES
    one = tuned + (2 + ARMS) * work.forward(model, tokens, inputs)
    block, choices = settings.eval.block, len(settings.learning_rates)
    blocks = -(-settings.validation // block) * choices - (-settings.eval.episodes // block)
    models = 2 * settings.seeds  # trained and untrained ones
    activations = work.activations(model, tokens) + examples * work.activations(model, model.instructions + 1)
    weights = work.FLOAT * ARMS * 3 * work.weights_of(model, inputs)
    return Sizes(
        memory={
            "the episodes computed at a time": settings.eval.block * ((1 + ARMS) * activations + weights),
            "what is measured": 8 * work.FLOAT * ARMS * settings.eval.episodes * settings.queries * model.num_layers,
        },
        operations={"fine-tuning": models * SCHEDULES * blocks * settings.eval.block * one},
        silent={"fine-tuning": settings.eval.block * one},
        seconds=40,
    )
