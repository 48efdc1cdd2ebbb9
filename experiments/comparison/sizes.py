"""Limits on the size of a comparison: it has to fit into memory, and to show its progress within reasonable time."""

import os

import jax

from experiments.comparison.settings import Comparison
from lab.layouts.merged import TokenLayout
from lab.runs.memory import SHARE
from tasks.task import Task
from trainers.limits import FLOAT, Limit, check_limits, usable_bytes
from trainers.line_search import CHUNK
from trainers.stacks import depth_of, interleaved_shape_of

COPIES = 6  # copies of the weights: gradient, two moments, update, and the learners that are made of them
LEARNERS = 8  # learners whose answers are kept
SEARCHED = 8  # rates at which a line search measures all its episodes, where the loss is no parabola
EXAMPLES = 2**34  # context examples in one evaluation or line search: ten minutes on 2 CPU cores
TRAINED = 2**36  # context examples between two updates of the progress bar: half an hour
PRODUCTS = 2**46  # multiplications of weights by weights between two updates of the progress bar: an hour


def require(settings: Comparison, task: Task) -> None:
    """Check that a comparison fits into memory and does not run for too long without a sign of progress.

    Raises:
        ConfigError: a limit is exceeded. The message names the key that is furthest above its default, and the largest
            value that is allowed.
    """
    longest = {"shift.num_context": (max(settings.shift.num_context, default=0), type(settings.task)().num_context)}
    check_limits(settings, _limits(settings, task), longest)


def _limits(settings: Comparison, task: Task) -> list[Limit]:
    model, train, baselines = settings.model, settings.train, settings.baselines
    layers, queries = depth_of(settings), getattr(task, "num_queries", 1)
    context, width = task.num_context, TokenLayout.of(task).token_dim
    matrices = model.num_heads * (1 if model.recurrent else model.num_layers)
    memory, host = usable_bytes(), SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    episode, searched = task.bytes_of(1), min(baselines.line_search_episodes, CHUNK)
    answers = FLOAT * (queries * task.answer_dim * (layers + width) + layers)
    rates = 1 if layers == 1 else SEARCHED * layers
    widths = {"task.input_dim": 2, "task.output_dim": 2, "model.num_heads": 1}
    if settings.model.interleaved:  # twice the tokens, each with a code of its position; and one more block
        context, width = 2 * context, interleaved_shape_of(settings, task).tokens.token_dim
        matrices, widths = matrices + model.num_heads, widths | {"task.num_context": 2}
    shapes = {"task.num_context": 1, "task.input_dim": 1, "task.num_documents": 1, "task.num_queries": 1}
    limits = [
        Limit("the weights exceed the memory", COPIES * matrices * 4 * width**2 * FLOAT, memory, widths),
        Limit(
            "training would give no sign for hours",
            train.eval_every * matrices * 4 * width**3,
            PRODUCTS,
            {key: power + (power > 1) for key, power in widths.items()} | {"train.eval_every": 1},
        ),
        Limit(
            "training would give no sign for hours",
            train.batch_size * context * layers * min(train.eval_every, train.steps),
            TRAINED,
            {"train.batch_size": 1, "task.num_context": 1, "train.eval_every": 1},
        ),
        Limit(
            "the line search exceeds the memory",
            2 * searched * episode,
            memory,
            shapes | ({"baselines.line_search_episodes": 1} if searched < CHUNK else {}),
        ),
        Limit(
            "the line search would take very long",
            baselines.line_search_episodes * context * rates,
            EXAMPLES,
            {"baselines.line_search_episodes": 1, "task.num_context": 1},
        ),
        Limit(
            "the answers to the test episodes exceed the memory",
            2 * LEARNERS * settings.eval.episodes * answers,
            host,
            {"eval.episodes": 1, "task.num_queries": 1, "task.input_dim": 1},
        ),
        *_evaluations(settings, task, episode, memory),
    ]
    if layers > 1:
        amount = baselines.gd_plus_plus.batch_size * context * layers * baselines.gd_plus_plus.steps
        powers = {"baselines.gd_plus_plus.batch_size": 1, "baselines.gd_plus_plus.steps": 1, "task.num_context": 1}
        limits.append(Limit("training GD++ would give no sign for hours", amount, TRAINED, powers))
    if jax.default_backend() != "cpu":  # a CPU takes a batch in parts
        limits.append(
            Limit("a batch exceeds the memory", train.batch_size * episode, memory, shapes | {"train.batch_size": 1})
        )
    return limits


def _evaluations(settings: Comparison, task: Task, episode: int, memory: float) -> list[Limit]:
    """Return the limits of evaluations: on the test episodes, and on those with other lengths of the context."""
    limits = []
    for key, context in (
        ("task.num_context", task.num_context),
        ("shift.num_context", max(settings.shift.num_context, default=0)),
    ):
        growing = episode * max(1.0, context / task.num_context)
        limits += [
            Limit("one episode exceeds the memory", LEARNERS * growing, memory, {key: 1, "task.input_dim": 1}),
            Limit(
                "an evaluation would take very long",
                settings.eval.episodes * context,
                EXAMPLES,
                {key: 1, "eval.episodes": 1},
            ),
        ]
    return limits
