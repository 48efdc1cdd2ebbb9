"""What would not fit the memory, or would run for very long without a sign, refused before anything is compiled.

The amounts are estimates from shapes, of the order of what is needed; a device that has too little all the same ends
the run with a line of its own (`lab.runs.memory`).
"""

import dataclasses
import os

import jax

from lab.config.comparison import Comparison
from lab.config.identity import each
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.runs.memory import SHARE, free_bytes
from tasks.task import Task
from trainers.line_search import CHUNK

FLOAT = 4  # bytes
COPIES = 6  # of weights: gradient, two moments, update, and the learners that are made of them
LEARNERS = 8  # whose answers are kept
SEARCHED = 8  # rates at which a line search measures all its episodes, where the loss is no parabola
EXAMPLES = 2**34  # of context in one evaluation or line search: ten minutes on 2 CPU cores
TRAINED = 2**36  # of context between two signs of a training: half an hour
PRODUCTS = 2**46  # multiplications of weights by weights between two signs: an hour


@dataclasses.dataclass(frozen=True)
class Limit:
    """An amount that must be at most `most`. powers: {key: with which power of it the amount grows}."""

    what: str
    amount: float
    most: float
    powers: dict[str, int]


def require(settings: Comparison, task: Task) -> None:
    """
    Raises:
        ConfigError: a limit is exceeded, with the key that is furthest above its default and the largest value of it.
    """
    over = [limit for limit in _limits(settings, task) if limit.amount > limit.most]
    if not over:
        return
    known = {setting.key: (setting.value, setting.default) for setting in each(settings)}
    known["shift.num_context"] = (max(settings.shift.num_context, default=0), known["task.num_context"][1])
    keys = {key for limit in over for key in limit.powers if key in known}
    key = max(sorted(keys), key=lambda key: known[key][0] / known[key][1])
    fits = [
        (known[key][0] * (limit.most / limit.amount) ** (1 / limit.powers[key]), limit.what)
        for limit in over
        if key in limit.powers
    ]
    largest, what = min(fits)
    raise ConfigError(f"{key}={known[key][0]}: {what}; with the other settings as they are, must be <= {int(largest)}")


def _limits(settings: Comparison, task: Task) -> list[Limit]:
    model, train, baselines = settings.model, settings.train, settings.baselines
    layers, context, queries = model.num_layers, task.num_context, getattr(task, "num_queries", 1)
    width = TokenLayout.of(task).token_dim
    matrices = model.num_heads * (1 if model.recurrent else layers)
    memory, host = SHARE * free_bytes(), SHARE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    episode, searched = task.bytes_of(1), min(baselines.line_search_episodes, CHUNK)
    answers = FLOAT * (queries * task.answer_dim * (layers + width) + layers)
    rates = 1 if layers == 1 else SEARCHED * layers
    widths = {"task.input_dim": 2, "task.output_dim": 2, "model.num_heads": 1}
    shapes = {"task.num_context": 1, "task.input_dim": 1, "task.num_documents": 1, "task.num_queries": 1}
    limits = [
        Limit("the weights exceed the memory", COPIES * matrices * 4 * width**2 * FLOAT, memory, widths),
        Limit(
            "training would give no sign for hours",
            train.eval_every * matrices * 4 * width**3,
            PRODUCTS,
            {"task.input_dim": 3, "task.output_dim": 3, "model.num_heads": 1, "train.eval_every": 1},
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
    if jax.default_backend() != "cpu":  # which takes a batch in parts
        limits.append(
            Limit("a batch exceeds the memory", train.batch_size * episode, memory, shapes | {"train.batch_size": 1})
        )
    return limits


def _evaluations(settings: Comparison, task: Task, episode: int, memory: float) -> list[Limit]:
    """Of the test episodes, and of those with other lengths of the context."""
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
