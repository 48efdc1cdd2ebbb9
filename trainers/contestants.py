"""Who takes part in an experiment: the Transformer that is trained and the learners that it is compared with."""

from collections.abc import Callable

import jax
from flax import struct

from analysis.theory import has_oracle, one_step
from lab.choices import Injection
from lab.config import Config, Model
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.gd_plus_plus import GDPlusPlus
from lab.learners.interpolation import interpolated
from lab.learners.learner import Learner
from lab.learners.least_squares import LeastSquares
from lab.learners.retrieval import RetrievedDescent
from lab.learners.ridge import Ridge
from lab.learners.transformer import LinearTransformer, Shape
from lab.tokens import TokenLayout
from tasks.task import Task
from trainers.line_search import Found
from trainers.population import Member, Stream

SUBJECT = "transformer"


@struct.dataclass
class References:
    """What `trainers.references.prepare` found for the learners of the comparison."""

    eta: Found  # the rate of gradient descent
    retrieved_eta: Found | None  # that of one step from the retrieved model
    gd_plus_plus: GDPlusPlus  # meta-trained


def shape_of(model: Model, task: Task) -> Shape:
    return Shape(
        layout=TokenLayout.of(task),
        num_layers=model.num_layers,
        num_heads=model.num_heads,
        recurrent=model.recurrent,
        document_width=0 if model.injection is Injection.none else task.document_width,
        injection=model.injection,
        clip=model.clip,
    )


def initial_model(member: Member, layout: TokenLayout) -> jax.Array:
    """Gradient descent's W_0 (Y, F), its entries N(0, init_std^2)."""
    shape = (layout.output_dim, layout.feature_dim)
    return member.init_std * jax.random.normal(member.stream(Stream.initial_model), shape)


def descent_of(config: Config, member: Member) -> Callable[[jax.Array], Learner]:
    """eta -> gradient descent with a step a layer; with a clip, that of GD++ with gamma = 0, clipped alike."""
    layout, model = TokenLayout.of(member.task), config.model
    if model.clip is not None:
        return lambda eta: GDPlusPlus(layout, eta, model.num_layers, clip=model.clip)
    w_0 = initial_model(member, layout)
    return lambda eta: GradientDescent(layout, eta, model.num_layers, w_0)


def retrieved_descent_of(member: Member) -> Callable[[jax.Array], Learner] | None:
    """eta -> one step from the model that the episode's documents stand for; None where they stand for none."""
    retriever = member.task.shared_retriever()
    return retriever and (lambda eta: RetrievedDescent(TokenLayout.of(member.task), eta, *retriever))


def of_the_curve(config: Config, member: Member, found: References, subject: Learner) -> dict[str, Learner]:
    """The learners of a training curve: the Transformer, gradient descent, its construction, the point half-way."""
    w_0 = initial_model(member, subject.shape.layout)
    by_hand = constructed(subject.shape, found.eta.eta, member.task.num_context, w_0)
    descent = descent_of(config, member)(found.eta.eta)
    learners = {SUBJECT: subject, "gradient_descent": descent, "constructed": by_hand}
    if config.model.num_heads == 1:  # heads of two models do not correspond: no interpolation then
        learners["interpolated"] = interpolated(subject, by_hand)
    if config.model.num_layers > 1:  # with one layer it is gradient descent
        learners["gd_plus_plus"] = found.gd_plus_plus
    return learners


def of_the_end(config: Config, member: Member, found: References, subject: Learner) -> dict[str, Learner]:
    """The Transformer and who is not of the curve: GD++, the floors, one step from the retrieved model, or at the rate
    that theory gives."""
    layout = TokenLayout.of(member.task)
    learners = {
        SUBJECT: subject,
        "gd_plus_plus": found.gd_plus_plus,
        "ridge": Ridge(layout, member.ridge_penalty),
        "least_squares": LeastSquares(layout),
    }
    if from_retrieved := retrieved_descent_of(member):
        learners["retrieved_descent"] = from_retrieved(found.retrieved_eta.eta)
    if has_oracle(member.task):
        learners["oracle"] = GradientDescent(layout, one_step(member.task).eta)
    return learners


def new_transformer(config: Config, task: Task) -> Callable[[jax.Array, jax.Array], LinearTransformer]:
    """(key, init_scale) -> an untrained Transformer."""
    shape = shape_of(config.model, task)
    return lambda key, init_scale: LinearTransformer(shape, key, init_scale)


def notes(config: Config, task: Task) -> list[str]:
    """What a reader of the results should be told."""
    found = []
    if config.model.num_heads > 1:
        found.append("no interpolated Transformer: the heads of two models do not correspond")
    if not has_oracle(task):
        found.append(f"no oracle: the moments of {config.task.name} are not known in closed form")
    return found
