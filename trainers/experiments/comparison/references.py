"""What gradient descent and GD++ need before they can be compared with: the line search, and GD++'s meta-training."""

import jax

from lab.config.comparison import Comparison
from lab.layouts.merged import TokenLayout
from lab.learners.gd_plus_plus import GDPlusPlus
from trainers import meta
from trainers.experiments.comparison import baselines
from trainers.experiments.comparison.baselines import References
from trainers.line_search import Found, line_search
from trainers.population import Member, map_population, vmap_population
from trainers.recipe import Recipe, Stream


def prepare(config: Comparison, population: Member) -> References:
    """For a whole population: the searches, which hold many episodes, one member after the other."""
    eta, retrieved_eta = map_population(lambda member: _rates(config, member), population)
    gd_plus_plus = vmap_population(lambda member, eta: _gd_plus_plus(config, member, eta))(population, eta.eta)
    return References(eta, retrieved_eta, gd_plus_plus)


def _rates(config: Comparison, member: Member) -> tuple[Found, Found | None]:
    """Of gradient descent, and of one step from the model that documents stand for, where there is one."""
    key, episodes = member.stream(Stream.line_search), config.baselines.line_search_episodes
    descent = baselines.descent_of(config, member, TokenLayout.of(member.task))
    eta = line_search(descent, config.model.num_layers, member.task, key, episodes)
    from_retrieved = baselines.retrieved_descent_of(member)
    return eta, from_retrieved and line_search(from_retrieved, 1, member.task, key, episodes)


def _gd_plus_plus(config: Comparison, member: Member, eta: jax.Array) -> GDPlusPlus:
    """Meta-trained from gradient descent's rate by the ordinary trainer.

    With one step there is nothing to learn: gamma acts after the step, and the rate is the line search's.
    """
    settings, layout = config.baselines.gd_plus_plus, TokenLayout.of(member.task)
    w_0 = baselines.initial_model(member, layout)

    def make(key, init_scale) -> GDPlusPlus:
        return GDPlusPlus(layout, eta, config.model.num_layers, settings.shared, config.model.clip, w_0)

    if config.model.num_layers == 1:
        return make(None, None)
    rate = member.numbers["baselines.gd_plus_plus.learning_rate"]
    recipe = Recipe(settings.steps, settings.batch_size, learning_rate=rate, clip_norm=member.recipe.clip_norm)
    key = member.stream(Stream.gd_plus_plus)
    return meta.train(meta.begin(make, recipe, key), member.task, recipe, key, settings.steps)[0].learner
