"""The sizes of a point of `speed`: the training of a population is compiled and timed."""

import dataclasses

from experiments.timing.speed.settings import Speed
from lab.config import work
from lab.config.sizes import Count, Sizes

EXAMPLES = 2**28  # context examples in one training step: ten seconds on 2 CPU cores, and it runs some fifty times
PROGRAMS, COMPILED = 3, 2  # the training, its random numbers alone, a plain forward pass; seconds to compile one


def sizes(settings: Speed) -> Sizes:
    """Return the sizes of a point."""
    task, seeds = settings.task, settings.seeds
    batch = min(settings.train.batch_size, max(1, settings.examples // task.num_context))
    train = dataclasses.replace(settings.train, batch_size=batch)
    step = seeds * work.stack_step(settings.model, task, train)
    examples = seeds * batch * task.num_context * settings.model.num_layers
    at_a_time = work.at_a_time(task, batch) * min(seeds, 1 + work.PART / (batch * work.episode_bytes(task)))
    return Sizes(
        memory={
            "the weights": work.FLOAT * work.COPIES * seeds * work.stack_weights(settings.model, task),
            "a batch": 4 * at_a_time * work.stack_activations(settings.model, task),
        },
        operations={"measuring": PROGRAMS * (settings.rounds + 3) * step},
        counts=[Count("one step would take very long", examples, EXAMPLES)],
        silent={"measuring": PROGRAMS * (settings.rounds + 3) * step},
        seconds=1 + PROGRAMS * (COMPILED + (settings.rounds + 1) * settings.seconds),
        wait=PROGRAMS * (settings.rounds + 1) * settings.seconds,
    )
