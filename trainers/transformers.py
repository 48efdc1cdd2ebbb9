"""The self-attention Transformers that are meta-trained on regression: their tokens, shapes and initial weights."""

from collections.abc import Callable
from typing import Protocol

import jax

from lab.config.choices import Features, Injection, LayerKind
from lab.config.stack import Model
from lab.layouts.merged import TokenLayout
from lab.learners.attention_stacks import NormalisedTransformer, SoftmaxTransformer
from lab.learners.embedded import Embedded, FeatureMap
from lab.learners.interleaved import InterleavedTransformer
from lab.learners.interleaved import Shape as InterleavedShape
from lab.learners.learner import Learner
from lab.learners.linear_transformer import AttentionStack, LinearTransformer, Shape
from lab.learners.momentum_transformer import MomentumTransformer
from tasks.task import Task
from trainers.meta import Make

STACKS: dict[LayerKind, type[AttentionStack]] = {
    LayerKind.linear: LinearTransformer,
    LayerKind.softmax: SoftmaxTransformer,
    LayerKind.layer_norm: NormalisedTransformer,
    LayerKind.momentum: MomentumTransformer,
}


class HasModel(Protocol):
    """Settings of a kind that trains a Transformer on regression."""

    model: Model


def layout_of(settings: HasModel, task: Task) -> TokenLayout:
    """Return the layout of the tokens that attention sees: of the inputs, or of their learned features."""
    inputs = TokenLayout.of(task)
    if settings.model.features is Features.inputs:
        return inputs
    return TokenLayout((("x", settings.model.num_features or inputs.feature_dim),), task.answer_dim)


def shape_of(settings: HasModel, task: Task) -> Shape:
    """Return the shape of the Transformer on merged tokens (x, y)."""
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


def interleaved_shape_of(settings: HasModel, task: Task) -> InterleavedShape:
    """Return the shape of the Transformer on interleaved tokens x, y."""
    model = settings.model
    return InterleavedShape(
        inputs=TokenLayout.of(task),
        num_context=task.num_context,
        num_layers=model.num_layers,
        num_heads=model.num_heads,
        recurrent=model.recurrent,
        first=model.first,
    )


def depth_of(settings: HasModel) -> int:
    """Return the number of layers, including the one that merges interleaved tokens."""
    return settings.model.num_layers + settings.model.interleaved


def has_circuits(settings: HasModel) -> bool:
    """Return whether the trained and the constructed Transformer can be compared matrix by matrix."""
    model = settings.model
    return model.num_heads == 1 and model.layer is LayerKind.linear and not model.interleaved


def why_no_circuits(settings: HasModel) -> str:
    """Return the reason, in words, why `has_circuits` is false."""
    if settings.model.interleaved:
        return "there are many ways to merge tokens, and between two there is none"
    if settings.model.num_heads > 1:
        return "the heads of two models do not correspond"
    return f"a layer with model.layer={settings.model.layer.name} is no product of two matrices"


def transformer(settings: HasModel, task: Task) -> Make:
    """Return a function (key, init_scale) -> the untrained Transformer of these settings."""
    if settings.model.interleaved:
        interleaved = interleaved_shape_of(settings, task)
        return lambda key, init_scale: InterleavedTransformer(interleaved, key, init_scale)
    stack, shape = STACKS[settings.model.layer], shape_of(settings, task)
    if settings.model.features is Features.inputs:
        return lambda key, init_scale: stack(shape, key, init_scale)

    def on_features(key: jax.Array, init_scale: jax.Array) -> Embedded:
        key_features, key_attention = jax.random.split(key)
        return embedded(settings, task)(key_features, stack(shape, key_attention, init_scale))

    return on_features


def features(settings: HasModel, task: Task) -> Callable[[jax.Array], FeatureMap]:
    """Return a function key -> the untrained features of the inputs."""
    model, width = settings.model, TokenLayout.of(task).feature_dim
    return lambda key: FeatureMap(model.features, width, model.hidden, key, model.num_features)


def embedded(settings: HasModel, task: Task) -> Callable[[jax.Array, Learner], Embedded]:
    """Return a function (key, learner) -> that learner on untrained features of the inputs."""
    make = features(settings, task)
    return lambda key, inner: Embedded(TokenLayout.of(task), make(key), inner)
