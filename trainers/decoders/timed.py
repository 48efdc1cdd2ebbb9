"""The training step of a decoder of linear functions, which several kinds time."""

import functools

from lab.config.choices import Optimizer, Position, SequenceKind
from lab.config.decoder import DecoderShape, FunctionsTrain, SmallModel, TrainsDecoder
from tasks.settings import Linear
from trainers import meta
from trainers.decoders.session import make_of, shape_of
from trainers.population import Member, at, members


def trained(size: DecoderShape, prompts: int, examples: int, input_dim: int, seed: int = 0) -> TrainsDecoder:
    """Return the settings of the run whose training step is timed: interleaved tokens, learned positions, Adam.

    Args:
        size: of the decoder.
        prompts: per training step.
        examples: of a prompt; each is two tokens.
        input_dim: width of an input x.
        seed: of its weights and prompts.
    """
    model = SmallModel(
        num_layers=size.num_layers,
        width=size.width,
        num_heads=size.num_heads,
        mlp_width=size.mlp_width,
        instructions=0,
        positions=Position.learned,
        layout=SequenceKind.interleaved,
    )
    train = FunctionsTrain(batch_size=prompts, optimizer=Optimizer.adam, learning_rate=1e-3)
    return TrainsDecoder(seed=seed, task=Linear(num_context=examples, input_dim=input_dim), model=model, train=train)


def begun(run: TrainsDecoder) -> tuple[Member, meta.TrainState]:
    """Return the member that trains the decoder of a run's settings, and its state before the first step."""
    member = at(members([run]), 0)
    make = functools.partial(make_of(run), shape_of(run, member.task))
    return member, meta.begin(make, member.recipe, member.key)
