"""Decoders that learn to recommend from demonstrations."""

import dataclasses

import jax

from lab.config.recommender import RecommenderModel
from lab.config.training import Training
from lab.layouts.merged import TokenLayout
from lab.layouts.merged_sequence import Merged
from lab.learners.decoder import Decoder, Shape
from tasks.recommend import Recommend
from trainers.recipe import Recipe
from trainers.streams import Stream
from trainers.train import train


def trained(model: RecommenderModel, training: Training, task: Recommend, key: jax.Array) -> Decoder:
    """A decoder, trained on any number of the user's own demonstrations, from 1 to `task.num_context`."""
    shape = Shape.of(model, Merged(TokenLayout.of(task)), task.num_context)
    recipe = Recipe.of(training, shape.num_layers)
    untrained = Decoder(shape, jax.random.fold_in(key, Stream.parameters), recipe.init_scale)
    return train(untrained, dataclasses.replace(task, any_count=True), recipe, key)[0]
