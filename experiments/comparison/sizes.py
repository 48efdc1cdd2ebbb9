"""The sizes of `comparison`: the training of a Transformer, the search for descent's rate, tests of all learners."""

from experiments.comparison.settings import Comparison
from lab.config import work
from lab.config.sizes import Sizes

LEARNERS = 8  # learners whose answers are kept
CHANGING = 2  # those that training changes
SEARCHED = 8  # rates at which a line search measures all its episodes, where the loss is no parabola
CHUNK = 10_000  # episodes of a line search that are in memory at a time (`trainers.line_search`)
SENSITIVITY = 3  # answers are differentiated with respect to the query


def sizes(settings: Comparison) -> Sizes:
    """Return the sizes of a run."""
    model, task, train, baselines = settings.model, settings.task, settings.train, settings.baselines
    seeds, tests, plus = settings.population.seeds, settings.eval.episodes, baselines.gd_plus_plus
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
        silent={
            "training": min(train.eval_every, train.steps) * step,
            "a line search": search,
            "an evaluation": tests * LEARNERS * SENSITIVITY * forward,
            "training GD++": meta,
        },
        batch=seeds * part * episode,
        largest_batch=(settings.population.chunk or work.side_by_side(task, train.batch_size)) * part * episode,
        parts=train.batch_size / part,
        seconds=11 + 2.5 * layers,
        joint=True,
    )


def _longest(settings: Comparison) -> float:
    """Return how many times as long as in training the longest context of a test is."""
    return max(1.0, max(settings.shift.num_context, default=0) / settings.task.num_context)
