"""Preparation of the baselines, before the training: line searches of their rates, and the meta-training of GD++ and of
heavy-ball descent."""

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


TRAINED_AT_ONE_STEP = ("preconditioned", "four_rates")


def prepare(settings: Comparison, population: Member) -> References:
    """Return the rates and the meta-trained learners of a whole population, with its axis in front.

    The line searches, which hold many episodes, run for one member after the other; what is meta-trained is trained
    for all side by side.
    """
    w_0, eta, squared_eta, retrieved_eta, further_eta = map_population(
        lambda member: _rates(settings, member), population
    )
    first_eta = (squared_eta or eta).eta
    trained = vmap_population(lambda *arguments: _meta_trained(settings, *arguments))(population, first_eta, w_0)
    gd_plus_plus, heavy_ball = trained.pop("gd_plus_plus"), trained.pop("heavy_ball", None)
    return References(w_0, eta, squared_eta, retrieved_eta, further_eta, gd_plus_plus, heavy_ball, trained)


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


def _meta_trained(settings: Comparison, member: Member, eta: jax.Array, w_0: jax.Array) -> dict[str, Learner]:
    """Return GD++ and, if the settings ask for them, heavy-ball descent, preconditioned descent, iterative Newton and
    GD++ that reads the targets. They start as gradient descent of rate eta from W_0 (Y, F), and are meta-trained by the
    recipe for GD++ on the same episodes.

    With one step only those of `TRAINED_AT_ONE_STEP` have something to learn: gamma acts after the step, momentum needs
    an earlier one, Newton is gradient descent, and the rate is that of the line search.
    """
    baselines, layout, steps = settings.baselines, TokenLayout.of(member.task), transformers.depth_of(settings)
    shared = baselines.gd_plus_plus.shared
    kind = GDPlusPlus if shared else GDPlusPlusByStep
    learners: dict[str, Learner] = {"gd_plus_plus": kind(layout, eta, steps, settings.model.clip, w_0)}
    if baselines.heavy_ball:
        learners["heavy_ball"] = HeavyBall(layout, eta, steps, w_0)
    if baselines.higher_order:
        learners["preconditioned"] = PreconditionedDescent(layout, eta, steps, shared, w_0)
        learners["newton"] = Newton(layout, eta, steps, w_0)
        learners["four_rates"] = FourRates(layout, eta, steps, w_0)
    return {
        name: _trained(settings, member, learner) if steps > 1 or name in TRAINED_AT_ONE_STEP else learner
        for name, learner in learners.items()
    }


def _trained(settings: Comparison, member: Member, learner: Learner) -> Learner:
    recipe_settings = settings.baselines.gd_plus_plus
    rate = member.numbers["baselines.gd_plus_plus.learning_rate"]
    recipe = Recipe(
        recipe_settings.steps, recipe_settings.batch_size, learning_rate=rate, clip_norm=member.recipe.clip_norm
    )
    key = member.stream(Stream.gd_plus_plus)
    begun = meta.begin(lambda key, init_scale: learner, recipe, key)
    return meta.train(begun, member.task, recipe, key, recipe.steps)[0].learner
