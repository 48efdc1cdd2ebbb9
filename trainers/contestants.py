"""Who takes part in an experiment: the Transformer that is trained and the learners that it is compared with."""

from collections.abc import Callable

import jax

from analysis.theory import one_step
from lab.config import Config, Model
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.interpolation import interpolated
from lab.learners.learner import Learner
from lab.learners.least_squares import LeastSquares
from lab.learners.ridge import Ridge
from lab.learners.transformer import LinearTransformer, Shape
from lab.tokens import TokenLayout
from tasks.task import Task
from trainers.population import Member, Stream

SUBJECT = "transformer"


def shape_of(model: Model, task: Task) -> Shape:
    return Shape(
        layout=TokenLayout.of(task),
        num_layers=model.num_layers,
        num_heads=model.num_heads,
        recurrent=model.recurrent,
        document_width=task.document_width,
        injection=model.injection,
    )


def initial_model(member: Member, layout: TokenLayout) -> jax.Array:
    """Gradient descent's W_0 (Y, F), its entries N(0, init_std^2)."""
    shape = (layout.output_dim, layout.feature_dim)
    return member.init_std * jax.random.normal(member.stream(Stream.initial_model), shape)


def descent_of(config: Config, member: Member) -> Callable[[jax.Array], GradientDescent]:
    """eta -> gradient descent with a step a layer."""
    layout = TokenLayout.of(member.task)
    w_0 = initial_model(member, layout)
    return lambda eta: GradientDescent(layout, eta, config.model.num_layers, w_0)


def trained_against(config: Config, member: Member, eta: jax.Array, subject: Learner) -> dict[str, Learner]:
    """The learners of a training curve: the Transformer, gradient descent, its construction, the point half-way."""
    descent = descent_of(config, member)(eta)
    by_hand = constructed(subject.shape, eta, member.task.num_context, descent.initial_model[...])
    learners = {SUBJECT: subject, "gradient_descent": descent, "constructed": by_hand}
    if config.model.num_heads == 1:  # heads of two models do not correspond: no interpolation then
        learners["interpolated"] = interpolated(subject, by_hand)
    return learners


def all_learners(config: Config, member: Member, eta: jax.Array, subject: Learner) -> dict[str, Learner]:
    """Those of the curve, then the floors: ridge, least squares, and one step at the rate that theory gives."""
    layout = TokenLayout.of(member.task)
    return trained_against(config, member, eta, subject) | {
        "ridge": Ridge(layout, member.ridge_penalty),
        "least_squares": LeastSquares(layout),
        "oracle": GradientDescent(layout, one_step(member.task).eta),
    }


def new_transformer(config: Config, task: Task) -> Callable[[jax.Array, jax.Array], LinearTransformer]:
    """(key, init_scale) -> an untrained Transformer."""
    shape = shape_of(config.model, task)
    return lambda key, init_scale: LinearTransformer(shape, key, init_scale)


def notes(config: Config) -> list[str]:
    """What a reader of the results should be told."""
    if config.model.num_heads == 1:
        return []
    return ["no interpolated Transformer: with more than one head a layer, the heads of two models do not correspond"]
