"""Whom the Transformer is compared with: on the curve, learners that training changes or does not, and at the end."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from analysis.metrics.theory import has_oracle, one_step
from experiments.comparison import descents, own_learners, trainees
from experiments.comparison.references import References
from experiments.comparison.settings import Comparison
from lab.config.choices import Features
from lab.layouts.merged import TokenLayout
from lab.learners import copying
from lab.learners.constant import Constant
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.embedded import Embedded
from lab.learners.interpolation import interpolated
from lab.learners.learner import Learner
from lab.learners.least_squares import LeastSquares
from lab.learners.ridge import Ridge
from lab.learners.shuffled import Shuffled
from tasks.task import Task
from trainers import stacks
from trainers.line_search import line_search
from trainers.population import Member
from trainers.streams import Stream

OWN = "own_descent"  # gradient descent on the Transformer's features
OWN_EPISODES = 10_000  # of the line search for these, which change in training: it is made at every evaluation


Learners = dict[str, Learner]


def fixed_learners(settings: Comparison, member: Member, references: References, trained: Learners) -> Learners:
    """The learners of a training curve that training does not change (of `trained` only the names count): gradient
    descent, on plain inputs the Transformer that is constructed to do it, and those of the user's own."""
    eta, w_0 = references.eta.eta, references.initial_model
    learners = {"gradient_descent": descents.descent_of(settings, TokenLayout.of(member.task), w_0)(eta)}
    if settings.model.interleaved:
        learners["constructed"] = copying.constructed(stacks.interleaved_shape_of(settings, member.task), eta)
        further = descents.descent_of(settings, TokenLayout.of(member.task), w_0, further=1)
        learners["further_descent"] = further(references.further_eta.eta)
    elif settings.model.features is Features.inputs:
        learners["constructed"] = constructed(stacks.shape_of(settings, member.task), eta, member.task.num_context, w_0)
    if stacks.depth_of(settings) > 1:  # with one layer it is gradient descent
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
    learners, transformer, around = dict(trained), trained[trainees.SUBJECT], lambda learner: learner
    eta, w_0 = references.eta.eta, references.initial_model
    if settings.model.interleaved:
        return learners
    if settings.model.features is not Features.inputs:
        embedded, transformer, w_0 = transformer, transformer.inner, None
        around = lambda inner: Embedded(embedded.layout, embedded.features, inner)  # noqa: E731
        descent = descents.descent_of(settings, transformer.shape.layout, w_0)
        eta = _rate(settings, member, lambda eta: around(descent(eta)))
        learners[OWN] = around(descent(eta))
    by_hand = constructed(transformer.shape, eta, member.task.num_context, w_0)
    if settings.model.features is not Features.inputs:
        learners["constructed"] = around(by_hand)
    if stacks.has_circuits(settings):
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
        "shuffled": Shuffled(trained[trainees.SUBJECT]),
    }
    if from_retrieved := descents.retrieved_descent_of(member):
        learners["retrieved_descent"] = from_retrieved(references.retrieved_eta.eta)
    if has_oracle(member.task):
        learners["oracle"] = GradientDescent(layout, one_step(member.task).eta)
    return learners


def notes(settings: Comparison, task: Task) -> list[str]:
    """What a reader of the results should be told."""
    lines = []
    if not stacks.has_circuits(settings):
        lines.append(f"no interpolated Transformer: {stacks.why_no_circuits(settings)}")
    if not has_oracle(task):
        lines.append(f"no oracle: the moments of {settings.task.name} are not known in closed form")
    return lines
