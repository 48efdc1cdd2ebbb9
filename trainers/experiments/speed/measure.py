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

from lab.config.comparison import Config
from trainers.experiments.comparison import baselines
from trainers.experiments.speed.ceilings import bare_random, numbers_drawn
from trainers.experiments.speed.clock import compiled, how_many, seconds_of
from trainers.experiments.speed.plain_forward import PlainForward, covers
from trainers.experiments.speed.training import Training

SCORES = 2**27  # numbers; a plain forward pass that would form more of them at once is not measured


@dataclasses.dataclass(frozen=True)
class Ceilings:
    flops_per_second: float
    bytes_per_second: float


def measure(config: Config, ceilings: Ceilings) -> dict[str, float | str | None]:
    """The row of a point's speed.csv. Rates and ratios are medians over rounds in which every program runs;
    `speed_up` is over the plain forward pass, None where there is none to compare with."""
    training, wanted = Training(config), config.benchmark
    one_step, _ = training.program(1)
    cost, turns, steps = one_step.func.cost_analysis(), training.turns, how_many(wanted.seconds, one_step)
    ours, compile_seconds = training.program(steps)
    task = training.task
    shape = baselines.shape_of(config, task)
    models, batch = config.population.seeds, config.train.batch_size
    numbers = models * numbers_drawn(task, batch)
    random, _ = compiled(bare_random(-(-numbers // turns), turns * steps), jax.random.key(0))
    programs = {"ours": (ours, steps), "random": (functools.partial(random, jax.random.key(0)), steps)}
    if covers(config, shape) and models * batch * task.num_context * (task.num_context + task.num_queries) <= SCORES:
        fewer = max(1, steps // 4)  # since they take several times as long
        programs["plain"] = Training(config, PlainForward).program(fewer)[0], fewer
    laps = _laps(programs, wanted.rounds)
    rate = statistics.median(lap["ours"] for lap in laps)
    row = {
        "layers": config.model.num_layers,
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
