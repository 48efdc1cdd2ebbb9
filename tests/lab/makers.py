"""Learners, episodes and prompts that many tests need."""

import jax
import jax.numpy as jnp

from lab.config.choices import Features
from lab.layouts.merged import TokenLayout
from lab.learners.construction import constructed
from lab.learners.embedded import Embedded, FeatureMap
from lab.learners.gd_plus_plus import GDPlusPlusByStep
from lab.learners.learner import predict
from lab.learners.linear_transformer import LinearTransformer, Shape
from tasks.catalogue import SYNTHETIC

KEY = jax.random.key(0)
NAMES = sorted(SYNTHETIC)


# Whole calls are compiled: operation by operation these tests take ten times as long.
answer = jax.jit(predict)


def shape_of(task, **options):
    return Shape(TokenLayout.of(task), document_width=task.document_width, **options)


def transformer(task, key=KEY, **options):
    shape = shape_of(task, **options)
    return jax.jit(lambda key: LinearTransformer(shape, key, init_scale=1.0))(key)


def gd_plus_plus(task, steps, **options):
    """With rates that differ between the steps."""
    learner = GDPlusPlusByStep(TokenLayout.of(task), 0.5, steps, **options)
    learner.relative_eta[...] = jnp.log(jnp.linspace(1.0, 1.5, steps))
    learner.relative_gamma[...] = jnp.arcsinh(jnp.linspace(0.4, 0.2, steps))
    return learner


def embedded(task, inner_of, kind=Features.residual, key=KEY):
    """A learner over features of the task's inputs; `inner_of(layout)` is what is inside."""
    layout = TokenLayout.of(task)
    inside = TokenLayout((("x", layout.feature_dim),), layout.answer_dim)
    features = jax.jit(lambda key: FeatureMap(kind, layout.feature_dim, 6, key))(key)
    return Embedded(layout, features, inner_of(inside))


def by_hand_of(task, **options):
    shape = shape_of(task, **options)
    return jax.jit(lambda eta: constructed(shape, eta, task.num_context))(0.5)


def moved(model, stays=lambda leaf: False):
    """The model with other numbers: what starts at zero or one would hide mistakes."""
    leaves, structure = jax.tree.flatten(model)
    keys = jax.random.split(jax.random.key(1), len(leaves))
    moves = [
        0.0 if stays(leaf) else 0.3 * jax.random.normal(key, leaf.shape) for key, leaf in zip(keys, leaves, strict=True)
    ]
    return structure.unflatten([leaf + move for leaf, move in zip(leaves, moves, strict=True)])


def episodes_of(task, batch):
    return jax.jit(lambda key: task.sample(key, batch))(KEY)


def prompts_of(task, batch):
    return episodes_of(task, batch).prompt


def one_prompt(task):
    return jax.tree.map(lambda a: a[0], prompts_of(task, 1))
