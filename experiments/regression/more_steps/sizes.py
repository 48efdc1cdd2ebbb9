"""The sizes of `more_steps`: layers are applied many times, beside gradient descent of as many steps."""

from experiments.regression.more_steps.settings import MoreSteps, TrainsStack
from lab.config import work
from lab.config.compose import compose
from lab.config.sizes import Sizes, Unknown

LEARNERS = 3


def sizes(settings: MoreSteps) -> Sizes:
    """Return the sizes of a run, beyond those of the Transformers that it starts from."""
    maker = compose(settings.inputs()[0])
    if not isinstance(maker, TrainsStack):  # the run is refused later, by name
        raise Unknown
    task, width = maker.task, work.token_width(maker.task)
    applied = settings.eval.episodes * work.examples_of(task) * 2 * width**2 * settings.times
    parts = len(settings.layers) * settings.seeds
    searched = maker.baselines.line_search_episodes * 8 * max(settings.layers) * 4 * task.num_context * width
    tokens = work.FLOAT * settings.eval.episodes * work.examples_of(task) * width
    return Sizes(
        memory={
            "the episodes": 6 * tokens,
            "the losses": 4 * work.FLOAT * settings.eval.episodes * settings.times * (1 + work.queries_of(task)),
        },
        operations={
            "applying layers": parts * len(settings.dampings) * LEARNERS * applied,
            "line searches": parts * searched,
        },
        silent={"applying layers": len(settings.dampings) * LEARNERS * applied, "a line search": searched},
        seconds=10 + 3 * len(settings.layers),
    )
