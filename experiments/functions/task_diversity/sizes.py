"""The sizes of `task_diversity`: its training, and the exact answers for a pool of functions."""

from experiments.functions.task_diversity.settings import TaskDiversity
from lab.config import work
from lab.config.sizes import Sizes

PLACES = 2  # on functions of the pool, and on new ones
GROUP = 256  # episodes at a time in an evaluation; the session makes groups smaller where memory is short


def sizes(settings: TaskDiversity) -> Sizes:
    """Return the sizes of a run."""
    task, pool, seeds = settings.task, settings.pool.largest, settings.seeds
    inputs, count = getattr(task, "input_dim", 1), work.examples_of(task)
    exact = pool * count * (inputs + 2 * task.num_context)
    chunk = min(settings.eval.episodes, GROUP)
    answers = PLACES * settings.eval.episodes * exact
    return work.decoder_sizes(settings).plus(
        in_turn={"the functions of the pool": work.FLOAT * pool * (2 * inputs + 3 * chunk * count)},
        operations={"exact answers": seeds * (answers + settings.eval.episodes * exact)},
        silent={"an exact answer": answers},
    )
