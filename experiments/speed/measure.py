"""One point of a benchmark: how fast its training is, and which ceiling is nearest.

Everything is on one device. FLOPs and bytes are XLA's own count of one compiled step: operations on whole numbers are
in it (drawing is made of them), and so is what moves between a processor and its cache alone. It counts a loop's body
once, so where a step is taken in turns (`trainers.batches`) what it counted is multiplied.
"""

import dataclasses
import functools
import statistics
from collections.abc import Callable

import jax

from experiments.speed.plain_forward import PlainForward
from experiments.speed.settings import Speed
from trainers.stacks import shape_of
from trainers.timing.ceilings import bare_random, numbers_drawn
from trainers.timing.clock import compiled, how_many, seconds_of
from trainers.timing.training import Training

SCORES = 2**27  # numbers; a plain forward pass that would form more of them at once is not measured


@dataclasses.dataclass(frozen=True)
class Ceilings:
    flops_per_second: float
    bytes_per_second: float


def measure(settings: Speed, ceilings: Ceilings) -> dict[str, float | str | None]:
    """A row of speed.csv. Rates and ratios are medians over rounds in which every program runs; `speed_up` is over the
    plain forward pass, None where it would take too much memory."""
    training = Training(settings)
    one_step, _ = training.program(1)
    cost, turns, steps = one_step.func.cost_analysis(), training.turns, how_many(settings.seconds, one_step)
    ours, compile_seconds = training.program(steps)
    task = training.task
    shape = shape_of(settings, task)
    models, batch = settings.population.seeds, training.recipe.batch_size
    numbers = models * numbers_drawn(task, batch)
    random, _ = compiled(bare_random(-(-numbers // turns), turns * steps), jax.random.key(0))
    programs = {"ours": (ours, steps), "random": (functools.partial(random, jax.random.key(0)), steps)}
    scores = shape.num_heads * (task.num_context + task.num_queries) * task.num_context
    if models * batch * scores <= SCORES:
        fewer = max(1, steps // 4)  # since they take several times as long
        programs["plain"] = Training(settings, PlainForward).program(fewer)[0], fewer
    laps = _laps(programs, settings.rounds)
    rate = statistics.median(lap["ours"] for lap in laps)
    row = {
        "layers": settings.model.num_layers,
        "batch": batch,
        "context": task.num_context,
        "width": shape.layout.token_dim,
        "population": models,
        "steps_per_second": rate,
        "episodes_per_second": rate * models * batch,
        "models_steps_per_second": rate * models,
        "flops_per_second": rate * turns * cost["flops"],
        "bytes_per_second": rate * turns * cost["bytes accessed"],
    }
    shares = {
        "flops": row["flops_per_second"] / ceilings.flops_per_second,
        "bytes": row["bytes_per_second"] / ceilings.bytes_per_second,
        "random": _ratio(laps, "random"),
    }
    return row | {
        **{f"share_of_{name}": share for name, share in shares.items()},
        "binds": max(shares, key=shares.get),
        "speed_up": _ratio(laps, "plain") if "plain" in programs else None,
        "compile_seconds": compile_seconds,
    }


def _laps(programs: dict[str, tuple[Callable, int]], rounds: int) -> list[dict[str, float]]:
    """Steps per second of each program of so many steps, {name: rate} of each round."""
    for program, _ in programs.values():
        seconds_of(program)
    return [{name: steps / seconds_of(of) for name, (of, steps) in programs.items()} for _ in range(rounds)]


def _ratio(laps: list[dict[str, float]], other: str) -> float:
    """How many times as fast as another program ours is: the median over the rounds, since what else the machine does
    slows both programs of a round alike."""
    return statistics.median(lap["ours"] / lap[other] for lap in laps)
