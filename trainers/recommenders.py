"""Decoders that learn to recommend from prompts of a user's own demonstrations."""

import dataclasses
from collections.abc import Sequence

import jax

from lab.config.base import Device
from lab.config.recommender import RecommenderModel
from lab.config.training import Training
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Merged
from lab.learners.decoder import Decoder
from lab.learners.decoder_shape import Shape
from tasks.recommend import Recommend
from trainers import meta
from trainers.population import Member, seeded
from trainers.programs import Programs
from trainers.recipe import Recipe
from trainers.session import Session

DECODER = "decoder"


def session_of(
    model: RecommenderModel,
    training: Training,
    task: Recommend,
    seeds: Sequence[int],
    device: Device,
    programs: Programs,
) -> Session:
    """Return the session that trains one decoder per seed, on any number of demonstrations from 1 to
    `task.num_context`."""
    shape = Shape.of(model, Merged(TokenLayout.of(task)), task.num_context)
    recipe = Recipe.of(training, shape.num_layers)

    def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
        def make(key: jax.Array, init_scale: jax.Array) -> Decoder:
            return Decoder(shape, key, init_scale)

        return {DECODER: meta.begin(make, member.recipe, member.key)}

    population = seeded(dataclasses.replace(task, any_count=True), recipe, [jax.random.key(seed) for seed in seeds])
    return Session(population, lambda member: None, begin, device, label=DECODER, programs=programs)
