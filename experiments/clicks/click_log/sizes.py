"""The sizes of `click_log`: training on prompts of a log. How long the log is, only its file says."""

from experiments.clicks.click_log.settings import ClickLogRun
from lab.config import work
from lab.config.sizes import Sizes
from tasks.logs.settings import ClickCsv

FEATURES = 7  # genres and the decade of a film of MovieLens-1M, words of its title are added to these
VOCABULARY = 12_000  # tokens of a log whose file is not read yet
ROW = 25  # bytes of a log's file per interaction
TESTED = 0.1  # share of the interactions that are test targets


def sizes(settings: ClickLogRun) -> Sizes:
    """Return the sizes of a run."""
    model, train, seeds = settings.model, settings.train, settings.seeds
    data = settings.data
    features = len(data.features) if isinstance(data, ClickCsv) else FEATURES + getattr(data, "words", 0)
    file = work.file_bytes(settings.data.path)
    streamed = work.stream_forward(model, model.num_context, model.targets, features)
    slid = work.stream_forward(model, model.num_context, 1, features)
    step = seeds * train.batch_size * work.BACKWARD * streamed
    validation = seeds * settings.eval.targets * (slid + streamed / model.targets)
    tested = TESTED * file / ROW
    looks = work.evaluations(train.steps, train.eval_every)
    prompt = work.stream_activations(model, model.num_context, model.targets, features)
    part = max(1.0, min(train.batch_size, PART / (model.num_context + model.targets)))
    return Sizes(
        memory={
            "the weights": work.FLOAT * work.COPIES * seeds * work.weights_of(model, VOCABULARY),
            "attention scores of a batch": seeds * part * prompt,
            "the log": 2 * file,
        },
        operations={
            "training": train.steps * step,
            "validation": looks * validation,
            "the test": seeds * tested * (slid + streamed / model.targets),
        },
        silent={"training": min(train.eval_every, train.steps) * step, "a validation": validation},
        seconds=20 + 3 * model.num_layers,
    )


PART = 600  # interactions that a processor takes at a time (`experiments.clicks.click_log.training`)
