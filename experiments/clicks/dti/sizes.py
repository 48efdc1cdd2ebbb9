"""The sizes of `dti`: training on streams of clicks, and tests on sliding windows and on prompts of many targets."""

from experiments.clicks.dti.settings import Dti
from lab.config import work
from lab.config.sizes import Sizes


def sizes(settings: Dti) -> Sizes:
    """Return the sizes of a run."""
    model, task, train, seeds = settings.model, settings.task, settings.train, settings.seeds
    window, targets = task.num_context, getattr(task, "num_targets", model.targets)
    prompts = -(-targets // model.targets)  # of a user
    streamed = prompts * work.stream_forward(model, window, model.targets, FEATURES)
    slid = targets * work.stream_forward(model, window, 1, FEATURES)
    vocabulary = getattr(task, "num_categories", 1) + getattr(task, "num_brands", 1)
    step = train.batch_size * work.BACKWARD * streamed
    looks, users = work.evaluations(train.steps, train.eval_every), settings.eval.users
    look = min(users, settings.eval.block) * (streamed + slid)
    test = users * (streamed + slid) + settings.eval.others * slid
    at_a_time = settings.eval.chunk or settings.eval.block
    return Sizes(
        memory={
            "the weights": work.FLOAT * work.COPIES * seeds * work.weights_of(model, vocabulary),
            "a batch": train.batch_size * prompts * work.stream_activations(model, window, model.targets, FEATURES),
            "the users of a test": at_a_time * targets * work.stream_answering(model, window, 1, FEATURES),
            "the answers to test users": 8 * work.FLOAT * seeds * users * targets,
        },
        operations={
            "training": seeds * train.steps * step,
            "evaluation": seeds * (looks * look + test),
        },
        silent={
            "training": seeds * min(train.eval_every, train.steps) * step,
            "an evaluation": test,
        },
        seconds=20 + 3 * model.num_layers,
        joint=True,
    )


FEATURES = 2  # of an item: its category and its brand
