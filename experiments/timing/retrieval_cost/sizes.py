"""The sizes of `retrieval_cost`: per retriever and number of documents a training and its model's answers are timed."""

from experiments.timing.retrieval_cost.settings import RetrievalCost
from lab.config import work
from lab.config.sizes import Sizes
from lab.config.training import Train
from tasks.settings import RagDot, RagLinear

COMPILED = 4  # seconds per program
BATCHES = 16  # of given episodes, as `experiments.timing.retrieval_cost.answers`, which needs JAX


def sizes(settings: RetrievalCost) -> Sizes:
    """Return the sizes of a run."""
    tasks = [kind(num_documents=count) for kind in (RagLinear, RagDot) for count in settings.documents]
    train = Train(batch_size=settings.batch_size)
    steps = sum(work.stack_step(settings.model, task, train) for task in tasks)
    numbers = BATCHES * settings.batch_size * sum(work.numbers_of(task) for task in tasks)
    return Sizes(
        memory={
            "the weights": work.FLOAT * work.COPIES * sum(work.stack_weights(settings.model, task) for task in tasks),
            "a batch": max(
                4 * work.at_a_time(task, settings.batch_size) * work.stack_activations(settings.model, task)
                for task in tasks
            ),
            "given episodes": 3 * work.FLOAT * numbers,
        },
        operations={"measuring": (settings.rounds + 3) * steps, "drawing": work.DRAW * numbers},
        silent={"a round": steps},
        seconds=8 + 3 * len(tasks) * (COMPILED + (settings.rounds + 1) * settings.seconds),
        wait=3 * len(tasks) * settings.seconds,
    )
