"""Trained decoders whose softmax attention is replaced by its estimate from random features.

Each head of each layer has features of its own.
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.softmax_dual import results
from experiments.duals.softmax_dual.results import FEATURES, FREQUENCIES, MAP, SEED
from experiments.duals.softmax_dual.settings import SoftmaxDual
from lab.attention.kernel import KernelAttention
from lab.errors import NotFinite
from lab.features import FEATURE_MAPS, SAMPLERS, draw
from lab.learners.decoder import Decoder, with_attention
from lab.learners.learner import Learner, predict
from lab.learners.shown import ZeroShot
from lab.runs import console, interrupt
from tasks.classification import Classification
from tasks.episode import Episode
from tasks.wrapper import Prefix
from trainers.streams import Stream, key_of

NO_CLASS = -1  # in place of a class, where a logit is not finite


def replaced(decoder: Decoder, name: str, sampler: str, num_features: int, key: jax.Array) -> Decoder:
    """Return the decoder with random features in place of softmax attention.

    Args:
        name, sampler: of the feature map and of its frequencies (`lab.features`).
        key: draws the frequencies of every head of every block.
    """
    shape = decoder.shape
    attentions = [
        KernelAttention(draw(name, sampler, block_key, num_features, shape.head_width, shape.num_heads))
        for block_key in jax.random.split(key, shape.num_blocks)
    ]
    return with_attention(decoder, attentions)


@jax.jit
def classes(decoder: Learner, episodes: Episode) -> jax.Array:
    """Return the class with the largest logit for each query, (B, Q); NO_CLASS where a logit is not finite."""
    logits_BxQxC = predict(decoder, episodes.prompt)
    return jnp.where(jnp.all(jnp.isfinite(logits_BxQxC), axis=-1), jnp.argmax(logits_BxQxC, axis=-1), NO_CLASS)


def measure(settings: SoftmaxDual, decoders: dict[int, Decoder], task: Classification) -> list[dict]:
    """Return one row per feature map, kind of frequencies, number of features and seed.

    The seed is that of the decoder; its random features and its test episodes are drawn from it too. Every query sees
    all examples.

    Args:
        decoders: {seed: decoder}.

    Raises:
        NotFinite: a decoder's own answers are no finite numbers.
    """
    full, rows = {seed: Prefix(task.of_seed(seed), jnp.asarray(task.num_context)) for seed in decoders}, []
    episodes = {seed: full[seed].sample(key_of(seed, Stream.test), settings.eval.episodes) for seed in decoders}
    with console.busy("the decoders with exact attention"):
        exact = {seed: np.asarray(classes(decoder, episodes[seed])) for seed, decoder in decoders.items()}
        zero_shot = {seed: np.asarray(classes(ZeroShot(decoder), episodes[seed])) for seed, decoder in decoders.items()}
    for seed in decoders:
        if np.any(exact[seed] == NO_CLASS) or np.any(zero_shot[seed] == NO_CLASS):
            raise NotFinite(f"the decoder of seed {seed}: its answers are NaN or infinite, with exact attention too")
    for number, (name, sampler) in enumerate(itertools.product(FEATURE_MAPS, SAMPLERS)):
        for count in settings.replaced.features:
            interrupt.check()
            with console.busy(f"the decoders with {count} features: {name}, {sampler} frequencies"):
                for seed, decoder in decoders.items():
                    changed = replaced(decoder, name, sampler, count, key_for(seed, number, count))
                    answers, target = np.asarray(classes(changed, episodes[seed])), np.asarray(episodes[seed].target)
                    rows.append(
                        {
                            MAP: name,
                            FREQUENCIES: sampler,
                            FEATURES: count,
                            SEED: seed,
                            results.accuracy.name: float(np.mean(answers == target)),
                            results.own_accuracy.name: float(np.mean(exact[seed] == target)),
                            results.zero_shot.name: float(np.mean(zero_shot[seed] == target)),
                            results.agreement.name: float(np.mean(answers == exact[seed])),
                        }
                    )
    return rows


def key_for(seed: int, *numbers: int) -> jax.Array:
    """Return a key of the seed's own for the features that these numbers name."""
    return functools.reduce(jax.random.fold_in, numbers, key_of(seed, Stream.frequencies))
