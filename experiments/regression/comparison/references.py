"""Preparation of the baselines, before the training: line searches of their rates, and the meta-training of GD++ and of
heavy-ball descent."""

from typing import TypeVar

import jax
from flax import struct

from experiments.regression.comparison import descents
from experiments.regression.comparison.settings import Comparison
from lab.layouts.merged import TokenLayout
from lab.learners.four_rates import FourRates
from lab.learners.gd_plus_plus import GDPlusPlus, GDPlusPlusByStep
from lab.learners.heavy_ball import HeavyBall
from lab.learners.learner import Learner
from lab.learners.newton import Newton
from lab.learners.preconditioned_descent import PreconditionedDescent
from tasks.regression import has_squared_error
from trainers import meta, transformers
from trainers.line_search import Found, line_search
from trainers.population import Member, map_population, vmap_population
from trainers.recipe import Recipe
from trainers.streams import Stream


@struct.dataclass
class References:
    """The rates and meta-trained learners that the baselines of a comparison are made of."""

    initial_model: jax.Array  # W_0 (Y, F) of gradient descent
    eta: Found  # the rate of gradient descent on the task's loss
    squared_eta: Found | None  # the rate of gradient descent on squared error, where the task's loss is another
    retrieved_eta: Found | None  # the rate of one step from the retrieved model
    further_eta: Found | None  # the rate of gradient descent with one more step, for the layer of interleaved tokens
    gd_plus_plus: GDPlusPlus  # meta-trained
    heavy_ball: HeavyBall | None = None  # meta-trained, if `baselines.heavy_ball` is set
    higher_order: dict[str, Learner] = struct.field(default_factory=dict)  # likewise, with `baselines.higher_order`

    @property
    def construction_eta(self) -> jax.Array:
        """The rate of gradient descent on squared error, which is what linear attention is constructed to do."""
        return (self.squared_eta or self.eta).eta


L = TypeVar("L", bound=Learner)


def prepare(settings: Comparison, population: Member) -> References:
    """Return the rates and the meta-trained learners of a whole population, with its axis in front.

    The line searches, which hold many episodes, run for one member after the other; what is meta-trained is trained
    for all side by side.
    """
    w_0, eta, squared_eta, retrieved_eta, further_eta = map_population(
        lambda member: _rates(settings, member), population
    )
    first_eta = (squared_eta or eta).eta
    gd_plus_plus = vmap_population(lambda *arguments: _gd_plus_plus(settings, *arguments))(population, first_eta, w_0)
    heavy_ball = None
    if settings.baselines.heavy_ball:
        heavy_ball = vmap_population(lambda *arguments: _heavy_ball(settings, *arguments))(population, first_eta, w_0)
    higher_order = {}
    if settings.baselines.higher_order:
        higher_order = vmap_population(lambda *arguments: _higher_order(settings, *arguments))(
            population, first_eta, w_0
        )
    return References(w_0, eta, squared_eta, retrieved_eta, further_eta, gd_plus_plus, heavy_ball, higher_order)


def _rates(settings: Comparison, member: Member) -> tuple[jax.Array, Found, Found | None, Found | None, Found | None]:
    """Return W_0 (Y, F) and four rates: of gradient descent; of descent on squared error, where the loss is another;
    of one step from the model that documents encode, if they do; and, for interleaved tokens, of gradient descent with
    one more step."""
    key, episodes = member.stream(Stream.line_search), settings.baselines.line_search_episodes
    layout = TokenLayout.of(member.task)
    w_0 = descents.initial_model(member, layout)
    layers, squared_eta = settings.model.num_layers, None
    eta = line_search(descents.descent_of(settings, member.task, layout, w_0), layers, member.task, key, episodes)
    if not has_squared_error(member.task):
        squared = descents.squared_descent_of(settings, layout, w_0)
        squared_eta = line_search(squared, layers, member.task, key, episodes)
    from_retrieved = descents.retrieved_descent_of(member)
    retrieved_eta = from_retrieved and line_search(from_retrieved, 1, member.task, key, episodes)
    if not settings.model.interleaved:
        return w_0, eta, squared_eta, retrieved_eta, None
    further = descents.descent_of(settings, member.task, layout, w_0, further=1)
    return w_0, eta, squared_eta, retrieved_eta, line_search(further, layers + 1, member.task, key, episodes)


def _gd_plus_plus(settings: Comparison, member: Member, eta: jax.Array, w_0: jax.Array) -> GDPlusPlus:
    """Return the meta-trained GD++, which starts as gradient descent of rate eta from W_0 (Y, F).

    With one step there is nothing to learn: gamma acts after the step, and the rate is that of the line search.
    """
    layout, steps = TokenLayout.of(member.task), transformers.depth_of(settings)
    kind = GDPlusPlus if settings.baselines.gd_plus_plus.shared else GDPlusPlusByStep
    return _meta_trained(settings, member, kind(layout, eta, steps, settings.model.clip, w_0))


def _heavy_ball(settings: Comparison, member: Member, eta: jax.Array, w_0: jax.Array) -> HeavyBall:
    """Return heavy-ball descent, meta-trained on the episodes of GD++; it starts as gradient descent of rate eta.

    With one step there is nothing to learn: momentum needs an earlier step.
    """
    layout, steps = TokenLayout.of(member.task), transformers.depth_of(settings)
    return _meta_trained(settings, member, HeavyBall(layout, eta, steps, w_0))


def _higher_order(settings: Comparison, member: Member, eta: jax.Array, w_0: jax.Array) -> dict[str, Learner]:
    """Return preconditioned descent, iterative Newton and GD++ that reads the targets, meta-trained. They start as
    gradient descent of rate eta. With one step Newton is gradient descent.
    """
    layout, steps = TokenLayout.of(member.task), transformers.depth_of(settings)
    preconditioned = PreconditionedDescent(layout, eta, steps, settings.baselines.gd_plus_plus.shared, w_0)
    return {
        "preconditioned": _trained(settings, member, preconditioned),
        "newton": _meta_trained(settings, member, Newton(layout, eta, steps, w_0)),
        "four_rates": _trained(settings, member, FourRates(layout, eta, steps, w_0)),
    }


def _meta_trained(settings: Comparison, member: Member, learner: L) -> L:
    """Return the learner, meta-trained by the recipe for GD++ if it takes several steps."""
    return learner if transformers.depth_of(settings) == 1 else _trained(settings, member, learner)


def _trained(settings: Comparison, member: Member, learner: L) -> L:
    recipe_settings = settings.baselines.gd_plus_plus
    rate = member.numbers["baselines.gd_plus_plus.learning_rate"]
    recipe = Recipe(
        recipe_settings.steps, recipe_settings.batch_size, learning_rate=rate, clip_norm=member.recipe.clip_norm
    )
    key = member.stream(Stream.gd_plus_plus)
    begun = meta.begin(lambda key, init_scale: learner, recipe, key)
    trained = meta.train(begun, member.task, recipe, key, recipe.steps)[0].learner
    assert isinstance(trained, type(learner))  # training keeps the structure
    return trained
