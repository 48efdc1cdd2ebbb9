"""The sizes of `demonstrations`: searches on validation queries of every user, and the training of a decoder."""

from experiments.demonstrations.demonstrations.settings import Demonstrations
from lab.config import work
from lab.config.choices import Recommender
from lab.config.sizes import Sizes

SEARCHES, PATHS = 9, 3  # methods, and their paths: the others have as many times the proposals


def sizes(settings: Demonstrations) -> Sizes:
    """Return the sizes of a run."""
    task, model, chunk = settings.task, settings.model, settings.eval.block
    width, slate = 2 * getattr(task, "item_dim", 1) + 1, getattr(task, "slate", 1)
    sets, decodes = PATHS * settings.proposals, settings.learner is Recommender.decoder
    searching = 0.0
    for queries in settings.validation:
        if decodes:
            answered = work.forward(model, settings.examples + queries, width)
        else:
            answered = 2 * settings.examples * width**2
        searching += settings.rounds * sets * (answered + queries * slate * (width + work.EXPONENTIAL))
    most = max(settings.validation) + settings.queries
    drawing = work.DRAW * (settings.pool + most) * slate * width
    blocks = -(-settings.eval.users // chunk)
    measured = SEARCHES * searching + len(settings.validation) * drawing
    trained = work.recommender_sizes(model, settings.train, task) if decodes else Sizes({}, {}, {})
    prompt = work.answering(model, settings.examples + most) if decodes else 0.0
    return trained.times(settings.seeds).plus(
        memory={
            "the users computed at a time": chunk
            * (4 * work.FLOAT * (settings.pool + most) * slate * width + sets * (prompt + 4 * most * slate * 4)),
            "the rounds of all users": 8 * SEARCHES * settings.eval.users * settings.rounds * 16,
        },
        operations={"searching": settings.seeds * blocks * chunk * measured},
        silent={"searching": chunk * measured},
        seconds=30 + 15 * len(settings.validation),
    )
