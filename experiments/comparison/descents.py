"""Gradient descent as the comparison has it: from which model, with how many steps, and clipped or not."""

from collections.abc import Callable

import jax

from experiments.comparison.settings import Comparison
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.gd_plus_plus import GDPlusPlus
from lab.learners.learner import Fixed, Learner
from lab.learners.retrieval import RetrievedDescent
from trainers.population import Member
from trainers.streams import Stream


def initial_model(member: Member, layout: TokenLayout) -> jax.Array:
    """Gradient descent's W_0 (Y, F), its entries N(0, init_std^2)."""
    shape = (layout.answer_dim, layout.feature_dim)
    return member.numbers["baselines.init_std"] * jax.random.normal(member.stream(Stream.initial_model), shape)


def descent_of(
    settings: Comparison, layout: TokenLayout, w_0: jax.Array | None, further: int = 0
) -> Callable[[jax.Array], Learner]:
    """eta -> gradient descent from W_0 (Y, F), None for zero, one step per layer and `further` ones; with a clip, GD++
    with gamma = 0, clipped alike. Interleaved tokens are merged by a layer that is none of these."""
    model = settings.model
    if model.clip is not None:
        return lambda eta: _without_gamma(GDPlusPlus(layout, eta, model.num_layers, clip=model.clip))
    return lambda eta: GradientDescent(layout, eta, model.num_layers + further, w_0)


def _without_gamma(learner: GDPlusPlus) -> GDPlusPlus:
    """So that no trainer makes more of it than gradient descent."""
    learner.relative_gamma = Fixed(learner.relative_gamma[...])
    return learner


def retrieved_descent_of(member: Member) -> Callable[[jax.Array], Learner] | None:
    """eta -> one step from the model that the episode's documents stand for; None where they stand for none."""
    retriever = member.task.shared_retriever()
    return retriever and (lambda eta: RetrievedDescent(TokenLayout.of(member.task), eta, *retriever))
