"""The sizes of `recommend`: a log, recommenders that are fitted to it, and the scores of all items for test users."""

from experiments.recommendation.recommend.settings import Recommendation
from lab.config import work
from lab.config.sizes import Sizes

TRAINED, COUNTED = 4, 2  # recommenders
KINDS, PATHS = 2, 3  # of candidates; of the largest search
ITEMS, ROW = 4000, 25  # of a log whose file is not read yet: items, and bytes of the file per row


def sizes(settings: Recommendation) -> Sizes:
    """Return the sizes of a run."""
    model, train, task = settings.model, settings.train, settings.task
    fits = settings.seeds * len(settings.splits)
    if task is not None:
        items, length, users = getattr(task, "num_items", ITEMS), task.num_context + 1, settings.users
    else:
        assert settings.data is not None  # the settings' own check says so
        items, length = ITEMS, settings.data.longest
        users = max(2, int(work.file_bytes(settings.data.path) / ROW / length))
    tested = min(settings.eval.users, users)
    one = work.forward(model, length, 2 * items)
    answers = tested * (TRAINED + COUNTED) * one
    step = train.batch_size * work.BACKWARD * one
    batch = work.activations(model, length) + 6 * work.FLOAT * length * items
    drawing = users * length * items * work.DRAW if task is not None else 0.0
    search = settings.search
    # Each set is answered alone and with another; vectors of an example are two products, and so are those of a query.
    sets, products = PATHS * (search.proposals + 1), 6 * search.examples + 4 * search.validation
    searching = KINDS * tested * search.rounds * sets * products * items * model.context_width
    searches, chunk = len(search.methods), min(settings.eval.chunk, tested)
    return Sizes(
        memory={
            "the weights": work.FLOAT * work.COPIES * work.weights_of(model, 3 * items),
            "the users": work.FLOAT * users * (3 * length + (2 * items if task is not None else 0)),
            "the scores of test users": work.FLOAT * tested * items * (TRAINED + COUNTED + 2),
            "a batch": train.batch_size * batch,
            "the users computed at a time": chunk * batch / 2,
            "transitions": 3 * 8 * items**2,
            "the searches at a time": (searches > 0) * work.FLOAT * chunk * (sets * products + 2 * length) * items,
        },
        operations={
            "training": fits * TRAINED * train.steps * step,
            "the test": fits * answers,
            "searching": fits * searches * searching,
            "drawing": settings.seeds * drawing,
        },
        silent={
            "training": train.steps / 20 * step,
            "the test": answers,
            "searching": (searches > 0) * searching,
            "drawing users": drawing,
        },
        seconds=20 + 5 * fits,
    )
