"""What the baselines need before training starts: the line searches of their rates, and the meta-training of GD++ and
of heavy-ball descent."""

import jax
from flax import struct

from experiments.comparison import descents
from experiments.comparison.settings import Comparison
from lab.layouts.merged import TokenLayout
from lab.learners.gd_plus_plus import GDPlusPlus
from lab.learners.heavy_ball import HeavyBall
from lab.learners.learner import Learner
from trainers import meta, stacks
from trainers.line_search import Found, line_search
from trainers.meta import Make
from trainers.population import Member, map_population, vmap_population
from trainers.recipe import Recipe
from trainers.streams import Stream


@struct.dataclass
class References:
    """What `prepare` makes for the learners of the comparison."""

    initial_model: jax.Array  # gradient descent's W_0 (Y, F)
    eta: Found  # the rate of gradient descent
    retrieved_eta: Found | None  # that of one step from the retrieved model
    further_eta: Found | None  # that of gradient descent with a step for the first layer of interleaved tokens as well
    gd_plus_plus: GDPlusPlus  # meta-trained
    heavy_ball: HeavyBall | None = None  # meta-trained, where it is asked for


def prepare(settings: Comparison, population: Member) -> References:
    """The rates and GD++ of a whole population, with its axis in front.

    The line searches, which hold many episodes, run for one member after the other; what is meta-trained is trained
    for all side by side.
    """
    w_0, eta, retrieved_eta, further_eta = map_population(lambda member: _rates(settings, member), population)
    gd_plus_plus = vmap_population(lambda *arguments: _gd_plus_plus(settings, *arguments))(population, eta.eta, w_0)
    heavy_ball = None
    if settings.baselines.heavy_ball:
        heavy_ball = vmap_population(lambda *arguments: _heavy_ball(settings, *arguments))(population, eta.eta, w_0)
    return References(w_0, eta, retrieved_eta, further_eta, gd_plus_plus, heavy_ball)


def _rates(settings: Comparison, member: Member) -> tuple[jax.Array, Found, Found | None, Found | None]:
    """W_0 (Y, F) of gradient descent, its rate, the rate of one step from the model that documents stand for, where
    there is one, and that of one step more, where tokens are interleaved."""
    key, episodes = member.stream(Stream.line_search), settings.baselines.line_search_episodes
    layout = TokenLayout.of(member.task)
    w_0 = descents.initial_model(member, layout)
    descent = descents.descent_of(settings, layout, w_0)
    eta = line_search(descent, settings.model.num_layers, member.task, key, episodes)
    from_retrieved = descents.retrieved_descent_of(member)
    retrieved_eta = from_retrieved and line_search(from_retrieved, 1, member.task, key, episodes)
    if not settings.model.interleaved:
        return w_0, eta, retrieved_eta, None
    further, steps = descents.descent_of(settings, layout, w_0, further=1), settings.model.num_layers + 1
    return w_0, eta, retrieved_eta, line_search(further, steps, member.task, key, episodes)


def _gd_plus_plus(settings: Comparison, member: Member, eta: jax.Array, w_0: jax.Array) -> GDPlusPlus:
    """GD++; it starts as gradient descent of rate eta from W_0 (Y, F).

    With one step there is nothing to learn: gamma acts after the step, and the rate is the line search's.
    """
    layout, shared = TokenLayout.of(member.task), settings.baselines.gd_plus_plus.shared
    steps = stacks.depth_of(settings)
    return _meta_trained(
        settings, member, lambda key, init_scale: GDPlusPlus(layout, eta, steps, shared, settings.model.clip, w_0)
    )


def _heavy_ball(settings: Comparison, member: Member, eta: jax.Array, w_0: jax.Array) -> HeavyBall:
    """Heavy-ball descent, on the episodes of GD++; it starts as gradient descent of rate eta from W_0 (Y, F).

    With one step there is nothing to learn either: there is no change before it.
    """
    layout, steps = TokenLayout.of(member.task), stacks.depth_of(settings)
    return _meta_trained(settings, member, lambda key, init_scale: HeavyBall(layout, eta, steps, w_0))


def _meta_trained(settings: Comparison, member: Member, make: Make) -> Learner:
    """What is made, trained by the ordinary trainer where there are several steps, by the recipe for GD++."""
    if stacks.depth_of(settings) == 1:
        return make(None, None)
    recipe_settings = settings.baselines.gd_plus_plus
    rate = member.numbers["baselines.gd_plus_plus.learning_rate"]
    recipe = Recipe(
        recipe_settings.steps, recipe_settings.batch_size, learning_rate=rate, clip_norm=member.recipe.clip_norm
    )
    key = member.stream(Stream.gd_plus_plus)
    return meta.train(meta.begin(make, recipe, key), member.task, recipe, key, recipe.steps)[0].learner
