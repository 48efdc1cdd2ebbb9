"""One point of the speed benchmark: the speed of its training, and the ceiling that it comes nearest to.

Everything runs on one device. FLOPs and bytes are XLA's own count for one compiled step. The count includes operations
on whole numbers (random numbers are made by them), and traffic between a processor and its cache. XLA counts the body
of a loop once, so where a step is divided into parts (`trainers.batches`) its count is multiplied by their number.
"""

import functools
import statistics
from collections.abc import Callable

import jax

from experiments.timing.speed.columns import SHARES, Rates
from experiments.timing.speed.plain_forward import PlainForward
from experiments.timing.speed.settings import Speed
from lab.runs.devices import device_name
from trainers.timing.ceilings import Ceilings, bare_random, numbers_drawn
from trainers.timing.clock import compiled, how_many, seconds_of
from trainers.timing.training import Training
from trainers.transformers import shape_of

SCORES = 2**27  # a plain forward pass that would compute more attention scores at once is not measured


def measure(settings: Speed, ceilings: Ceilings) -> dict[str, float | str | None]:
    """Return a row of speed.csv: medians over rounds, in each of which every program runs once."""
    training = Training(settings)
    one_step, _ = training.program(1)
    cost, turns, steps = one_step.func.cost_analysis(), training.turns, how_many(settings.seconds, one_step)
    ours, compile_seconds = training.program(steps)
    task = training.task
    shape = shape_of(settings, task)
    models, batch = settings.seeds, training.recipe.batch_size
    numbers = models * numbers_drawn(task, batch)
    random, _ = compiled(bare_random(-(-numbers // turns), turns * steps), jax.random.key(0))
    programs = {"ours": (ours, steps), "random": (functools.partial(random, jax.random.key(0)), steps)}
    scores = shape.num_heads * (task.num_context + getattr(task, "num_queries", 1)) * task.num_context
    if models * batch * scores <= SCORES:
        fewer = max(1, steps // 4)  # since they take several times as long
        programs["plain"] = Training(settings, PlainForward).program(fewer)[0], fewer
    laps = _laps(programs, settings.rounds)
    rate = statistics.median(lap["ours"] for lap in laps)
    row = {
        Rates.LAYERS: settings.model.num_layers,
        Rates.BATCH: batch,
        Rates.CONTEXT: task.num_context,
        Rates.WIDTH: shape.layout.token_dim,
        Rates.POPULATION: models,
        Rates.DEVICE: device_name(),
        Rates.STEPS: rate,
        Rates.EPISODES: rate * models * batch,
        Rates.MODELS_STEPS: rate * models,
        Rates.FLOPS: rate * turns * cost["flops"],
        Rates.BYTES: rate * turns * cost["bytes accessed"],
    }
    shares = {
        SHARES["flops"]: row[Rates.FLOPS] / ceilings.flops_per_second,
        SHARES["bytes"]: row[Rates.BYTES] / ceilings.bytes_per_second,
        SHARES["random"]: _ratio(laps, "random"),
    }
    return {
        **row,
        **shares,
        Rates.BINDS: max(SHARES, key=lambda name: shares[SHARES[name]]),
        Rates.SPEED_UP: _ratio(laps, "plain") if "plain" in programs else None,
        Rates.COMPILE_SECONDS: compile_seconds,
    }


def _laps(programs: dict[str, tuple[Callable, int]], rounds: int) -> list[dict[str, float]]:
    """Return {name: steps per second} for each round.

    Args:
        programs: {name: (a call without arguments, how many steps it takes)}.
    """
    for program, _ in programs.values():
        seconds_of(program)
    return [{name: steps / seconds_of(call) for name, (call, steps) in programs.items()} for _ in range(rounds)]


def _ratio(laps: list[dict[str, float]], other: str) -> float:
    """Return how many times as fast as another program ours is, as the median over the rounds: other work of the
    machine slows both programs of a round alike."""
    return statistics.median(lap["ours"] / lap[other] for lap in laps)
