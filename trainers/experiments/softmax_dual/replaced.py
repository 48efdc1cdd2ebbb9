"""Trained decoders with every attention replaced by its form in random features, which differ by head and layer."""

import itertools
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from lab.attention.kernel import KernelAttention
from lab.config.softmax_dual import SoftmaxDual
from lab.features import FEATURE_MAPS, SAMPLERS, draw
from lab.learners.decoder import Decoder, with_attention
from lab.learners.learner import predict
from lab.runs import console, interrupt
from tasks.classification import Classification
from tasks.episode import Episode
from tasks.prefix import Prefix


def replaced(decoder: Decoder, name: str, sampler: str, num_features: int, key: jax.Array) -> Decoder:
    """The decoder with features of its own in each head of each block."""
    shape = decoder.shape
    attentions = [
        KernelAttention(draw(name, sampler, block_key, num_features, shape.head_width, shape.num_heads))
        for block_key in jax.random.split(key, shape.num_blocks)
    ]
    return with_attention(decoder, attentions)


@jax.jit
def classes(decoder: Decoder, episodes: Episode) -> jax.Array:
    """The class of the largest logit of each query (B, Q); -1 where logits are not finite."""
    logits_BxQxC = predict(decoder, episodes.prompt)
    return jnp.where(jnp.all(jnp.isfinite(logits_BxQxC), axis=-1), jnp.argmax(logits_BxQxC, axis=-1), -1)


def measure(settings: SoftmaxDual, decoders: Sequence[Decoder], task: Classification) -> list[dict]:
    """One row per feature map, kind of frequencies, number of features and seed, which is a decoder with features and
    episodes of its own, in which all examples are shown.

    Columns: `accuracy`; `exact`, the accuracy on the same episodes with exact attention; `agreement`, how often both
    give the same class.
    """
    full, rows = Prefix(task, jnp.asarray(task.num_context)), []
    keys = [jax.random.key(settings.seed + seed) for seed in range(len(decoders))]
    episodes = [full.sample(jax.random.fold_in(key, 3), settings.replaced.episodes) for key in keys]
    with console.busy("the decoders with exact attention"):
        exact = [np.asarray(classes(*pair)) for pair in zip(decoders, episodes, strict=True)]
    for number, (name, sampler) in enumerate(itertools.product(FEATURE_MAPS, SAMPLERS)):
        for count in settings.replaced.features:
            interrupt.check()
            with console.busy(f"the decoders with {count} features: {name}, {sampler} frequencies"):
                for seed, decoder in enumerate(decoders):
                    key = jax.random.fold_in(jax.random.fold_in(keys[seed], 4 + number), count)
                    changed = replaced(decoder, name, sampler, count, key)
                    answers, target = np.asarray(classes(changed, episodes[seed])), np.asarray(episodes[seed].target)
                    rows.append(
                        {"map": name, "frequencies": sampler, "features": count, "seed": settings.seed + seed}
                        | {"accuracy": float(np.mean(answers == target))}
                        | {"exact": float(np.mean(exact[seed] == target))}
                        | {"agreement": float(np.mean(answers == exact[seed]))}
                    )
    return rows
