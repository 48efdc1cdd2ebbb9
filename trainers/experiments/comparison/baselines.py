"""Who takes part in an experiment: the learners that are trained, and those that the Transformer is compared with."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import struct

from analysis.metrics.theory import has_oracle, one_step
from lab.config.choices import Features, Injection, LayerKind
from lab.config.comparison import Comparison
from lab.errors import ConfigError
from lab.layouts.merged import TokenLayout
from lab.learners import copying
from lab.learners.constant import Constant
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.embedded import Embedded, FeatureMap
from lab.learners.fitted import FittedRag
from lab.learners.gd_plus_plus import GDPlusPlus
from lab.learners.heavy_ball import HeavyBall
from lab.learners.interleaved import InterleavedTransformer
from lab.learners.interleaved import Shape as InterleavedShape
from lab.learners.interpolation import interpolated
from lab.learners.learner import Fixed, Learner
from lab.learners.least_squares import LeastSquares
from lab.learners.linear_transformer import AttentionStack, LinearTransformer, Shape
from lab.learners.momentum_transformer import MomentumTransformer
from lab.learners.normalised_transformer import NormalisedTransformer
from lab.learners.retrieval import RetrievedDescent
from lab.learners.ridge import Ridge
from lab.learners.shuffled import Shuffled
from lab.learners.softmax_transformer import SoftmaxTransformer
from tasks.task import Task
from trainers.experiments.comparison import own_learners
from trainers.line_search import Found, line_search
from trainers.meta import Make
from trainers.population import Member
from trainers.recipe import Stream

SUBJECT = "transformer"
LEARNED = "learned_descent"  # gradient descent on features that are learned for it
FITTED = "fitted_rag"  # learned features and documents, fitted to the rows of a table
OWN = "own_descent"  # gradient descent on the Transformer's features
OWN_EPISODES = 10_000  # of the line search for these, which change in training: it is made at every evaluation

STACKS: dict[LayerKind, type[AttentionStack]] = {
    LayerKind.linear: LinearTransformer,
    LayerKind.softmax: SoftmaxTransformer,
    LayerKind.layer_norm: NormalisedTransformer,
    LayerKind.momentum: MomentumTransformer,
}

Learners = dict[str, Learner]


@struct.dataclass
class References:
    """What `trainers.experiments.comparison.references.prepare` makes for the learners of the comparison."""

    initial_model: jax.Array  # gradient descent's W_0 (Y, F)
    eta: Found  # the rate of gradient descent
    retrieved_eta: Found | None  # that of one step from the retrieved model
    further_eta: Found | None  # that of gradient descent with a step for the first layer of interleaved tokens as well
    gd_plus_plus: GDPlusPlus  # meta-trained
    heavy_ball: HeavyBall | None = None  # meta-trained, where it is asked for


def require(settings: Comparison, task: Task) -> None:
    """
    Raises:
        ConfigError: documents, and tokens that have no place for them.
    """
    if settings.model.interleaved and settings.model.injection is not Injection.none and task.document_width:
        raise ConfigError(
            f"model.layout=interleaved: the documents of task={settings.task.name} do not enter such a Transformer; "
            "choose model.injection=none to leave them out"
        )


def layout_of(settings: Comparison, task: Task) -> TokenLayout:
    """Of the tokens that attention sees."""
    inputs = TokenLayout.of(task)
    if settings.model.features is Features.inputs:
        return inputs
    return TokenLayout((("x", settings.model.num_features or inputs.feature_dim),), task.answer_dim)


def shape_of(settings: Comparison, task: Task) -> Shape:
    model = settings.model
    return Shape(
        layout=layout_of(settings, task),
        num_layers=model.num_layers,
        num_heads=model.num_heads,
        recurrent=model.recurrent,
        document_width=0 if model.injection is Injection.none else task.document_width,
        injection=model.injection,
        clip=model.clip,
    )


def interleaved_shape_of(settings: Comparison, task: Task) -> InterleavedShape:
    model = settings.model
    return InterleavedShape(
        inputs=TokenLayout.of(task),
        num_context=task.num_context,
        num_layers=model.num_layers,
        num_heads=model.num_heads,
        recurrent=model.recurrent,
        first=model.first,
    )


def depth_of(settings: Comparison) -> int:
    """Layers of the Transformer, with the one that merges interleaved tokens."""
    return settings.model.num_layers + settings.model.interleaved


def has_circuits(settings: Comparison) -> bool:
    """Whether the trained and the constructed Transformer can be compared and interpolated matrix by matrix."""
    model = settings.model
    return model.num_heads == 1 and model.layer is LayerKind.linear and not model.interleaved


def why_no_circuits(settings: Comparison) -> str:
    """Where `has_circuits` is false, in words."""
    if settings.model.interleaved:
        return "there are many ways to merge tokens, and between two there is none"
    if settings.model.num_heads > 1:
        return "the heads of two models do not correspond"
    return f"a layer with model.layer={settings.model.layer.name} is no product of two matrices"


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


def trainees(settings: Comparison, member: Member, references: References) -> dict[str, Make]:
    """All that is trained, on the same episodes with the same budget: the Transformer, and where it has features, the
    gradient descent that has features of its own, and of a table with documents the model that is fitted to it.

    Each begins with the key of the run itself, so one more of them changes no other."""
    inputs, shape = TokenLayout.of(member.task), shape_of(settings, member.task)
    if settings.model.interleaved:
        interleaved = interleaved_shape_of(settings, member.task)
        return {SUBJECT: lambda key, init_scale: InterleavedTransformer(interleaved, key, init_scale)}
    stack = STACKS[settings.model.layer]
    if settings.model.features is Features.inputs:
        return {SUBJECT: lambda key, init_scale: stack(shape, key, init_scale)}

    def features(key: jax.Array) -> FeatureMap:
        model = settings.model
        return FeatureMap(model.features, inputs.feature_dim, model.hidden, key, model.num_features)

    def embedded(key: jax.Array, inner: Learner) -> Embedded:
        return Embedded(inputs, features(key), inner)

    def transformer(key, init_scale):
        key_features, key_attention = jax.random.split(key)
        return embedded(key_features, stack(shape, key_attention, init_scale))

    def learned_descent(key, init_scale):
        key_features, _ = jax.random.split(key)  # the same features at first
        return embedded(key_features, descent_of(settings, shape.layout, None)(references.eta.eta))

    def fitted_rag(key, init_scale):
        key_features, key_head = jax.random.split(key)
        return FittedRag(inputs, features(key_features), member.task.document_width, key_head, init_scale)

    trained = {SUBJECT: transformer, LEARNED: learned_descent}
    return trained | {FITTED: fitted_rag} if member.task.finite and member.task.document_width else trained


def reference_of(settings: Comparison) -> str:
    """The learner that the Transformer's training is watched against."""
    return "gradient_descent" if settings.model.features is Features.inputs else LEARNED


def fixed_learners(settings: Comparison, member: Member, references: References, trained: Learners) -> Learners:
    """The learners of a training curve that training does not change (of `trained` only the names count): gradient
    descent, on plain inputs the Transformer that is constructed to do it, and those of the user's own."""
    eta, w_0 = references.eta.eta, references.initial_model
    learners = {"gradient_descent": descent_of(settings, TokenLayout.of(member.task), w_0)(eta)}
    if settings.model.interleaved:
        learners["constructed"] = copying.constructed(interleaved_shape_of(settings, member.task), eta)
        further = descent_of(settings, TokenLayout.of(member.task), w_0, further=1)
        learners["further_descent"] = further(references.further_eta.eta)
    elif settings.model.features is Features.inputs:
        learners["constructed"] = constructed(shape_of(settings, member.task), eta, member.task.num_context, w_0)
    if depth_of(settings) > 1:  # with one layer it is gradient descent
        learners |= corrected_descents(references)
    own = [name for name in settings.learners if name not in trained]
    return learners | own_learners.untrained(own, member.task, member.stream(Stream.parameters))


def corrected_descents(references: References) -> Learners:
    """The descents whose numbers are meta-trained; of one step both are gradient descent."""
    heavy_ball = {} if references.heavy_ball is None else {"heavy_ball": references.heavy_ball}
    return {"gd_plus_plus": references.gd_plus_plus} | heavy_ball


def changing_learners(settings: Comparison, member: Member, references: References, trained: Learners) -> Learners:
    """The learners of a training curve that change with training: what is trained, the point half-way between the
    Transformer and the constructed one, and where features are learned, what is made on them."""
    learners, transformer, around = dict(trained), trained[SUBJECT], lambda learner: learner
    eta, w_0 = references.eta.eta, references.initial_model
    if settings.model.interleaved:
        return learners
    if settings.model.features is not Features.inputs:
        embedded, transformer, w_0 = transformer, transformer.inner, None
        around = lambda inner: Embedded(embedded.layout, embedded.features, inner)  # noqa: E731
        descent = descent_of(settings, transformer.shape.layout, w_0)
        eta = _rate(settings, member, lambda eta: around(descent(eta)))
        learners[OWN] = around(descent(eta))
    by_hand = constructed(transformer.shape, eta, member.task.num_context, w_0)
    if settings.model.features is not Features.inputs:
        learners["constructed"] = around(by_hand)
    if has_circuits(settings):
        learners["interpolated"] = around(interpolated(transformer, by_hand))
    return learners


def _rate(settings: Comparison, member: Member, learner_of: Callable[[jax.Array], Learner]) -> jax.Array:
    """The best eta for features that change in training, searched anew for each evaluation."""
    episodes = min(settings.baselines.line_search_episodes, OWN_EPISODES)
    return line_search(
        learner_of, settings.model.num_layers, member.task, member.stream(Stream.line_search), episodes
    ).eta


def final_learners(settings: Comparison, member: Member, references: References, trained: Learners) -> Learners:
    """The learners of the end that are not of the curve: GD++, the floors, the mean (0 in all tasks), the Transformer
    with shuffled labels, one step from the retrieved model, or at the rate that theory gives."""
    layout = TokenLayout.of(member.task)
    learners = {
        **corrected_descents(references),
        "ridge": Ridge(layout, member.numbers["baselines.ridge_penalty"]),
        "least_squares": LeastSquares(layout),
        "mean": Constant(jnp.zeros(member.task.answer_dim)),
        "shuffled": Shuffled(trained[SUBJECT]),
    }
    if from_retrieved := retrieved_descent_of(member):
        learners["retrieved_descent"] = from_retrieved(references.retrieved_eta.eta)
    if has_oracle(member.task):
        learners["oracle"] = GradientDescent(layout, one_step(member.task).eta)
    return learners


def notes(settings: Comparison, task: Task) -> list[str]:
    """What a reader of the results should be told."""
    lines = []
    if not has_circuits(settings):
        lines.append(f"no interpolated Transformer: {why_no_circuits(settings)}")
    if not has_oracle(task):
        lines.append(f"no oracle: the moments of {settings.task.name} are not known in closed form")
    return lines
