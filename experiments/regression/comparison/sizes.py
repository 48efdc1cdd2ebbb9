"""The sizes of `comparison`: the training of a Transformer, the search for descent's rate, tests of all learners."""

from experiments.regression.comparison.settings import Comparison
from lab.config import work
from lab.config.sizes import Count, Sizes

LEARNERS = 8  # learners whose answers are kept
CHANGING = 2  # those that training changes
SEARCHED = 8  # rates at which a line search measures all its episodes, where the loss is no parabola
CHUNK = 10_000  # episodes of a line search that are in memory at a time (`trainers.line_search`)
SENSITIVITY = 3  # answers are differentiated with respect to the query
EXAMPLES = 2**34  # context examples in one evaluation or line search: ten minutes on 2 CPU cores
TRAINED = 2**36  # context examples between two updates of the progress bar: half an hour
PRODUCTS = 2**46  # multiplications of weights by weights between two updates of the progress bar: an hour


def sizes(settings: Comparison) -> Sizes:
    """Return the sizes of a run."""
    model, task, train, baselines = settings.model, settings.task, settings.train, settings.baselines
    seeds, tests, plus = settings.seeds, settings.eval.episodes, baselines.gd_plus_plus
    width, layers, longest = work.token_width(task), model.num_layers + model.interleaved, _longest(settings)
    step = work.stack_step(model, task, train)
    forward = work.stack_forward(model, task) * longest
    episode = work.stack_activations(model, task)
    part = work.at_a_time(task, train.batch_size)
    searched = baselines.line_search_episodes * (1 if layers == 1 else SEARCHED * layers)
    search = searched * (4 * task.num_context * width + work.DRAW * work.numbers_of(task) / SEARCHED)
    shifts = sum(len(values) for values in (settings.shift.alpha, settings.shift.teacher, settings.shift.noise,
                                            settings.shift.law, settings.shift.num_context))  # fmt: skip
    looks = CHANGING * work.evaluations(train.steps, train.eval_every) + LEARNERS * (2 + shifts)
    answers = work.FLOAT * work.queries_of(task) * work.outputs_of(task) * (layers + width) + work.FLOAT * layers
    meta = plus.steps * plus.batch_size * task.num_context * width**2 * layers * work.BACKWARD * (layers > 1)
    return Sizes(
        memory={
            "the weights": work.FLOAT * work.COPIES * seeds * work.stack_weights(model, task),
            "the line search": 2 * min(baselines.line_search_episodes, CHUNK) * work.episode_bytes(task) * (1 + layers),
            "the answers to test episodes": 2 * LEARNERS * tests * answers,
            "an episode": LEARNERS * episode * longest,
        },
        operations={
            "training": seeds * train.steps * step,
            "line searches": seeds * search,
            "training GD++": seeds * meta,
            "evaluation": seeds * tests * looks * SENSITIVITY * forward,
        },
        silent={"an evaluation": tests * LEARNERS * SENSITIVITY * forward},
        counts=_counts(settings),
        batch=seeds * part * episode,
        largest_batch=(settings.population.chunk or work.side_by_side(task, train.batch_size)) * part * episode,
        parts=train.batch_size / part,
        seconds=11 + 2.5 * layers,
        joint=True,
    )


def _counts(settings: Comparison) -> list[Count]:
    """Return the counts of what shows no progress meanwhile."""
    model, task, train, baselines = settings.model, settings.task, settings.train, settings.baselines
    layers, merged, plus = model.num_layers + model.interleaved, 1 + model.interleaved, baselines.gd_plus_plus
    context, (_, width) = merged * task.num_context, work.stack_tokens(model, task)
    matrices = model.num_heads * ((1 if model.recurrent else model.num_layers) + model.interleaved)
    rates = 1 if layers == 1 else SEARCHED * layers
    between_signs = train.batch_size * context * layers * min(train.eval_every, train.steps)
    corrected = plus.batch_size * context * layers * plus.steps * (layers > 1)
    evaluated = settings.eval.episodes * context * _longest(settings)
    return [
        Count("training would give no sign for hours", train.eval_every * matrices * 4 * width**3, PRODUCTS),
        Count("training would give no sign for hours", between_signs, TRAINED),
        Count("training GD++ would give no sign for hours", corrected, TRAINED),
        Count("a line search would take very long", baselines.line_search_episodes * context * rates, EXAMPLES),
        Count("an evaluation would take very long", evaluated, EXAMPLES),
    ]


def _longest(settings: Comparison) -> float:
    """Return how many times as long as in training the longest context of a test is."""
    return max(1.0, max(settings.shift.num_context, default=0) / settings.task.num_context)
