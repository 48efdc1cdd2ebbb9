"""The sizes of `momentum_attention`: all variants of all seeds train side by side, one kind of positions at a time."""

from experiments.duals.momentum_attention.settings import MomentumAttention
from lab.config import work
from lab.config.sizes import Sizes

OTHERS = 3  # variants beside one per eta: none, learned, the previous token


def sizes(settings: MomentumAttention) -> Sizes:
    """Return the sizes of a run."""
    model, task, train = settings.model, settings.task, settings.train
    models, kinds = settings.seeds * (len(settings.eta) + OTHERS), len(settings.positions)
    tokens, symbols = task.num_context + 1, work.outputs_of(task)
    one = work.forward(model, tokens, 2 * symbols)
    step = models * train.batch_size * work.BACKWARD * one
    look = models * settings.eval.episodes * one
    part = work.at_a_time(task, train.batch_size)
    one_model = part * work.activations(model, tokens)
    return Sizes(
        memory={
            "the weights": work.FLOAT * work.COPIES * models * work.weights_of(model, 2 * symbols),
            "the test sequences": settings.seeds * settings.eval.episodes * work.answering(model, tokens),
        },
        operations={
            "training": kinds * train.steps * step,
            "evaluation": kinds * (1 + train.steps / train.eval_every) * look,
        },
        silent={"training": train.eval_every * step, "an evaluation": look},
        batch=models * one_model,
        largest_batch=work.side_by_side(task, train.batch_size) * one_model,
        parts=train.batch_size / part,
        seconds=15 * kinds,
    )
