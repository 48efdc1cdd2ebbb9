"""What answers prompts in a search: a row per recommender."""

import dataclasses
from collections.abc import Callable

import jax

from lab.config.choices import Recommender
from lab.config.demonstrations import Demonstrations, RecommenderModel
from lab.config.training import Training
from lab.layouts.merged import TokenLayout
from lab.layouts.merged_sequence import Merged
from lab.learners.decoder import Decoder, Shape
from lab.learners.descent import GradientDescent
from lab.learners.learner import Learner
from lab.learners.ridge import Ridge
from tasks.recommend import Recommend
from trainers.recipe import Recipe, Stream
from trainers.train import train


def descent(settings: Demonstrations, task: Recommend, key: jax.Array) -> Learner:
    """One step; its rate scales all scores alike and changes no rank."""
    return GradientDescent(TokenLayout.of(task), 1.0)


def ridge(settings: Demonstrations, task: Recommend, key: jax.Array) -> Learner:
    return Ridge(TokenLayout.of(task), settings.penalty)


def decoder(settings: Demonstrations, task: Recommend, key: jax.Array) -> Learner:
    return trained(settings.model, settings.train, task, key)


def trained(model: RecommenderModel, training: Training, task: Recommend, key: jax.Array) -> Decoder:
    """A decoder, trained on any number of the user's own demonstrations, from 1 to `task.num_context`."""
    shape = Shape.of(model, Merged(TokenLayout.of(task)), task.num_context)
    recipe = Recipe.of(training, shape.num_layers)
    untrained = Decoder(shape, jax.random.fold_in(key, Stream.parameters), recipe.init_scale)
    return train(untrained, dataclasses.replace(task, any_count=True), recipe, key)[0]


RECOMMENDERS: dict[Recommender, Callable[[Demonstrations, Recommend, jax.Array], Learner]] = {
    Recommender.descent: descent,
    Recommender.ridge: ridge,
    Recommender.decoder: decoder,
}
