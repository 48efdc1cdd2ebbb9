"""Limits on the size of a point of `speed`: it has to fit into memory, and its step may not take too long."""

from experiments.speed.settings import Speed
from trainers.limits import FLOAT, Limit, check_limits, usable_bytes
from trainers.stacks import shape_of
from trainers.timing.training import Training

COPIES = 6  # copies of the weights: gradient, two moments, update, and the baseline's
WORK = 4  # memory of the forward pass and its derivative, in multiples of the bytes of the episodes
EXAMPLES = 2**28  # context examples in one training step: ten seconds on 2 CPU cores, and it runs some fifty times


def require(settings: Speed) -> None:
    """Check that a point fits into memory and that a step of it does not take too long.

    Raises:
        ConfigError: a limit is exceeded. The message names the key that is furthest above its default, and the largest
            value that is allowed.
    """
    training = Training(settings)
    task, batch, models = training.task, training.recipe.batch_size, settings.population.seeds
    shape = shape_of(settings, task)
    matrices = shape.num_heads * (1 if shape.recurrent else shape.num_layers)
    weights = COPIES * models * matrices * 4 * shape.layout.token_dim**2 * FLOAT
    at_a_time = -(-models * batch // training.turns)
    if batch == 1:
        counts, contexts = {"population.seeds": 1}, {"task.num_context": 1}
    elif batch < settings.train.batch_size:  # the setting `examples` bounds the batch
        counts, contexts = {"examples": 1, "population.seeds": 1}, {}
    else:
        counts, contexts = {"train.batch_size": 1, "population.seeds": 1}, {"task.num_context": 1}
    shapes = {"task.input_dim": 1, "task.num_documents": 1, "task.num_queries": 1}
    examples = models * batch * task.num_context * shape.num_layers
    check_limits(
        settings,
        [
            Limit(
                "the weights exceed the memory",
                weights,
                usable_bytes(),
                {"task.input_dim": 2, "task.output_dim": 2, "model.num_heads": 1, "population.seeds": 1},
            ),
            Limit(
                "a batch exceeds the memory",
                WORK * task.bytes_of(at_a_time),
                usable_bytes(),
                shapes | counts | contexts,
            ),
            Limit("one step would take very long", examples, EXAMPLES, counts | contexts),
        ],
    )
