"""The learners that the Transformer is compared with: on the training curve, and in addition at the end."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from analysis.metrics.theory import has_oracle, one_step
from experiments.regression.comparison import descents, own_learners, trainees
from experiments.regression.comparison.references import References
from experiments.regression.comparison.settings import Comparison
from lab.config.choices import Features
from lab.layouts.merged import TokenLayout
from lab.learners import interleaved
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.embedded import Embedded
from lab.learners.fit_per_query import LeastSquares
from lab.learners.given import Constant
from lab.learners.interpolation import interpolated
from lab.learners.learner import Learner
from lab.learners.linear_transformer import AttentionStack, LinearTransformer
from lab.learners.ridge import Ridge
from lab.learners.shown import Shuffled
from tasks.regression import has_squared_error
from tasks.task import Task
from trainers import transformers
from trainers.line_search import line_search
from trainers.population import Member
from trainers.streams import Stream

OWN = "own_descent"  # gradient descent on the Transformer's features
SQUARED = "squared_descent"  # gradient descent on squared error, beside that on another loss of the task
SHUFFLED_OWN = "shuffled: "  # before the name of a user's own learner: that learner with shuffled labels
OWN_EPISODES = 10_000  # of its line search, which is made at every evaluation, as training changes the features

Learners = dict[str, Learner]


def fixed_learners(settings: Comparison, member: Member, references: References, trained: Learners) -> Learners:
    """Return the learners of a training curve that training does not change.

    They are gradient descent on the task's loss and, where that is another, on squared error; on plain inputs, the
    Transformer that is constructed to do gradient descent; for several layers, the descents with meta-trained numbers;
    and the user's own learners without parameters.

    Args:
        trained: only the names are used.
    """
    task, eta, w_0 = member.task, references.construction_eta, references.initial_model
    layout = TokenLayout.of(task)
    learners: Learners = {"gradient_descent": descents.descent_of(settings, task, layout, w_0)(references.eta.eta)}
    if references.squared_eta is not None:
        learners[SQUARED] = descents.squared_descent_of(settings, layout, w_0)(eta)
    if settings.model.interleaved:
        assert references.further_eta is not None  # `references.prepare` searches it for interleaved tokens
        learners["constructed"] = interleaved.constructed(transformers.interleaved_shape_of(settings, task), eta)
        further = descents.descent_of(settings, task, layout, w_0, further=1)
        learners["further_descent"] = further(references.further_eta.eta)
    elif settings.model.features is Features.inputs:
        learners["constructed"] = constructed(transformers.shape_of(settings, task), eta, task.num_context, w_0)
    if transformers.depth_of(settings) > 1:  # with one layer they are gradient descent
        learners |= corrected_descents(references)
    own = [name for name in settings.learners if name not in trained]
    return learners | own_learners.untrained(own, task, member.stream(Stream.parameters))


def corrected_descents(references: References) -> Learners:
    """Return the descents whose numbers are meta-trained. With one step GD++, heavy ball and Newton are gradient
    descent."""
    learners: Learners = {"gd_plus_plus": references.gd_plus_plus} | references.higher_order
    if references.heavy_ball is not None:
        learners["heavy_ball"] = references.heavy_ball
    return learners


def changing_learners(settings: Comparison, member: Member, references: References, trained: Learners) -> Learners:
    """Return the learners of a training curve that change with training.

    They are all that is trained; the point half-way between the trained and the constructed Transformer; and where
    features are learned, gradient descent and the constructed Transformer on the Transformer's features.
    """
    learners, subject = dict(trained), trained[trainees.SUBJECT]
    if settings.model.interleaved:
        return learners
    if settings.model.features is Features.inputs:
        assert isinstance(subject, AttentionStack)
        by_hand = constructed(
            subject.shape, references.construction_eta, member.task.num_context, references.initial_model
        )
        if transformers.has_circuits(settings):
            learners["interpolated"] = _half_way(subject, by_hand)
        return learners
    assert isinstance(subject, Embedded)
    assert isinstance(subject.inner, AttentionStack)

    def on_features(inner: Learner) -> Learner:
        return Embedded(subject.layout, subject.features, inner)

    descent = descents.descent_of(settings, member.task, subject.inner.shape.layout, None)
    eta = _rate(settings, member, lambda eta: on_features(descent(eta)))
    learners[OWN] = on_features(descent(eta))
    if not has_squared_error(member.task):
        squared = descents.squared_descent_of(settings, subject.inner.shape.layout, None)
        eta = _rate(settings, member, lambda eta: on_features(squared(eta)))
    by_hand = constructed(subject.inner.shape, eta, member.task.num_context)
    learners["constructed"] = on_features(by_hand)
    if transformers.has_circuits(settings):
        learners["interpolated"] = on_features(_half_way(subject.inner, by_hand))
    return learners


def _half_way(transformer: AttentionStack, by_hand: LinearTransformer) -> LinearTransformer:
    """Return the Transformer half-way between a trained one, with one linear head per layer, and a constructed one."""
    assert isinstance(transformer, LinearTransformer)  # `stacks.has_circuits` says so
    return interpolated(transformer, by_hand)


def _rate(settings: Comparison, member: Member, learner_of: Callable[[jax.Array], Learner]) -> jax.Array:
    """Return the best eta for features that change in training, searched anew for each evaluation."""
    episodes = min(settings.baselines.line_search_episodes, OWN_EPISODES)
    return line_search(
        learner_of, settings.model.num_layers, member.task, member.stream(Stream.line_search), episodes
    ).eta


def final_learners(settings: Comparison, member: Member, references: References, trained: Learners) -> Learners:
    """Return the learners that are evaluated at the end only.

    They are the meta-trained descents; ridge regression and least squares; the constant answer 0, the mean of the
    targets in all tasks; the Transformer and the user's own learners with shuffled labels; one step from the retrieved
    model; and one step at the rate that is optimal in theory.
    """
    layout = TokenLayout.of(member.task)
    learners: Learners = {
        **corrected_descents(references),
        "ridge": Ridge(layout, member.numbers["baselines.ridge_penalty"]),
        "least_squares": LeastSquares(layout),
        "mean": Constant(jnp.zeros(member.task.answer_dim)),
        "shuffled": Shuffled(trained[trainees.SUBJECT]),
    }
    own = {name: trained[name] for name in settings.learners if name in trained}
    own |= own_learners.untrained(
        [name for name in settings.learners if name not in own], member.task, member.stream(Stream.parameters)
    )
    learners |= {f"{SHUFFLED_OWN}{name}": Shuffled(learner) for name, learner in own.items()}
    if from_retrieved := descents.retrieved_descent_of(member):
        assert references.retrieved_eta is not None  # `references.prepare` searches it for such tasks
        learners["retrieved_descent"] = from_retrieved(references.retrieved_eta.eta)
    if has_oracle(member.task):
        learners["oracle"] = GradientDescent(layout, one_step(member.task).eta)
    return learners


def notes(settings: Comparison, task: Task) -> list[str]:
    """Return notes for a reader of the results: which learners are missing, and why."""
    lines = []
    if not transformers.has_circuits(settings):
        lines.append(f"no interpolated Transformer: {transformers.why_no_circuits(settings)}")
    if not has_oracle(task):
        lines.append(f"no oracle: the moments of {settings.task.name} are not known in closed form")
    return lines
