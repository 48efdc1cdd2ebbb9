"""What is trained in an experiment of the kind comparison, and which of it the Transformer's training is watched
against."""

import jax

from lab.config.choices import Features, LayerKind
from lab.config.comparison import Comparison
from lab.layouts.merged import TokenLayout
from lab.learners.embedded import Embedded, FeatureMap
from lab.learners.fitted import FittedRag
from lab.learners.interleaved import InterleavedTransformer
from lab.learners.learner import Learner
from lab.learners.linear_transformer import AttentionStack, LinearTransformer
from lab.learners.momentum_transformer import MomentumTransformer
from lab.learners.normalised_transformer import NormalisedTransformer
from lab.learners.softmax_transformer import SoftmaxTransformer
from trainers.experiments.comparison import descents, shapes
from trainers.experiments.comparison.references import References
from trainers.meta import Make
from trainers.population import Member

SUBJECT = "transformer"
LEARNED = "learned_descent"  # gradient descent on features that are learned for it
FITTED = "fitted_rag"  # learned features and documents, fitted to the rows of a table

STACKS: dict[LayerKind, type[AttentionStack]] = {
    LayerKind.linear: LinearTransformer,
    LayerKind.softmax: SoftmaxTransformer,
    LayerKind.layer_norm: NormalisedTransformer,
    LayerKind.momentum: MomentumTransformer,
}


def trainees(settings: Comparison, member: Member, references: References) -> dict[str, Make]:
    """All that is trained, on the same episodes with the same budget: the Transformer, and where it has features, the
    gradient descent that has features of its own, and of a table with documents the model that is fitted to it.

    Each begins with the key of the run itself, so one more of them changes no other."""
    inputs, shape = TokenLayout.of(member.task), shapes.shape_of(settings, member.task)
    if settings.model.interleaved:
        interleaved = shapes.interleaved_shape_of(settings, member.task)
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
        return embedded(key_features, descents.descent_of(settings, shape.layout, None)(references.eta.eta))

    def fitted_rag(key, init_scale):
        key_features, key_head = jax.random.split(key)
        return FittedRag(inputs, features(key_features), member.task.document_width, key_head, init_scale)

    trained = {SUBJECT: transformer, LEARNED: learned_descent}
    return trained | {FITTED: fitted_rag} if member.task.finite and member.task.document_width else trained


def reference_of(settings: Comparison) -> str:
    """The learner that the Transformer's training is watched against."""
    return "gradient_descent" if settings.model.features is Features.inputs else LEARNED
