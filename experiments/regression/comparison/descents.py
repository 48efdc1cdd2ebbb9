"""The gradient descents of a comparison: their loss, their initial model, their number of steps, and their clipping."""

from collections.abc import Callable

import jax

from experiments.regression.comparison.settings import Comparison
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent, TaskDescent
from lab.learners.gd_plus_plus import GDPlusPlus
from lab.learners.learner import Fixed, Learner
from lab.learners.retrieval import RetrievedDescent
from tasks.regression import has_squared_error
from tasks.task import Task
from trainers.population import Member
from trainers.streams import Stream


def initial_model(member: Member, layout: TokenLayout) -> jax.Array:
    """Return the initial model W_0 (Y, F) of gradient descent, with independent N(0, init_std^2) entries."""
    shape = (layout.answer_dim, layout.feature_dim)
    return member.numbers["baselines.init_std"] * jax.random.normal(member.stream(Stream.initial_model), shape)


def descent_of(
    settings: Comparison, task: Task, layout: TokenLayout, w_0: jax.Array | None, further: int = 0
) -> Callable[[jax.Array], Learner]:
    """Return a function that makes gradient descent on the task's own loss from its rate eta.

    Args:
        layout, w_0, further: as for `squared_descent_of`, which it is where that loss is squared error. Descent on
            another loss is not clipped.
    """
    if has_squared_error(task):
        return squared_descent_of(settings, layout, w_0, further)
    return lambda eta: TaskDescent(task, layout, eta, settings.model.num_layers + further, w_0)


def squared_descent_of(
    settings: Comparison, layout: TokenLayout, w_0: jax.Array | None, further: int = 0
) -> Callable[[jax.Array], Learner]:
    """Return a function that makes gradient descent on squared error from its rate eta.

    Args:
        w_0: the initial model (Y, F); None for zero.
        further: steps in addition to one per layer. (The layer that merges interleaved tokens is not counted.)

    Returns:
        eta -> the learner. With a clip it is GD++ with gamma = 0, whose activations are clipped like the Transformer's.
    """
    model = settings.model
    if model.clip is not None:
        return lambda eta: _without_gamma(GDPlusPlus(layout, eta, model.num_layers, clip=model.clip))
    return lambda eta: GradientDescent(layout, eta, model.num_layers + further, w_0)


def _without_gamma(learner: GDPlusPlus) -> GDPlusPlus:
    """Fix gamma at its initial 0, so that training leaves the learner gradient descent."""
    learner.relative_gamma = Fixed(learner.relative_gamma[...])
    return learner


def retrieved_descent_of(member: Member) -> Callable[[jax.Array], Learner] | None:
    """Return eta -> one step from the model that an episode's documents encode; None where they encode none."""
    retriever = member.task.shared_retriever()
    return retriever and (lambda eta: RetrievedDescent(TokenLayout.of(member.task), eta, *retriever))
