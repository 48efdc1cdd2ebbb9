"""The decoder of linear functions whose training step kinds of this family time."""

import functools

from lab.config.choices import Optimizer, Position, SequenceKind
from lab.config.decoder import DecoderShape, FunctionsTrain, SmallModel, TrainsDecoder
from tasks.settings import Linear
from trainers import meta
from trainers.decoders.session import make_of, shape_of
from trainers.population import Member, at, members


def begun(
    size: DecoderShape, prompts: int, examples: int, input_dim: int, seed: int = 0
) -> tuple[Member, meta.TrainState]:
    """Return the member that trains the decoder, on interleaved tokens with learned positions and by Adam, and its
    state before the first step.

    Args:
        prompts: per training step.
        examples: of a prompt; each is two tokens.
        input_dim: width of an input x.
        seed: of its weights and prompts.
    """
    layout = SequenceKind.interleaved
    model = SmallModel(**vars(size), instructions=0, positions=Position.learned, layout=layout)
    train = FunctionsTrain(batch_size=prompts, optimizer=Optimizer.adam, learning_rate=1e-3)
    task = Linear(num_context=examples, input_dim=input_dim)
    run = TrainsDecoder(seed=seed, task=task, model=model, train=train)
    member = at(members([run]), 0)
    make = functools.partial(make_of(run), shape_of(run, member.task))
    return member, meta.begin(make, member.recipe, member.key)
