"""A trained decoder with every attention replaced by its form in random features, which differ by head and layer."""

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


def episodes_of(settings: SoftmaxDual, task: Classification) -> list[Episode]:
    """Those of each seed, in which all examples are shown."""
    full = Prefix(task, jnp.asarray(task.num_context))
    keys = [jax.random.fold_in(jax.random.key(settings.seed + seed), 3) for seed in range(settings.seeds)]
    return [full.sample(key, settings.replaced.episodes) for key in keys]


def measure(settings: SoftmaxDual, decoder: Decoder, task: Classification) -> list[dict]:
    """One row per feature map, kind of frequencies, number of features and seed: `accuracy`, `exact`, that of the
    decoder as it is on the same episodes, and `agreement`, how often both give the same class."""
    episodes = episodes_of(settings, task)
    targets = [np.asarray(each.target) for each in episodes]
    with console.busy("the decoder with exact attention"):
        exact = [np.asarray(classes(decoder, each)) for each in episodes]
    rows = []
    for number, (name, sampler) in enumerate((name, sampler) for name in FEATURE_MAPS for sampler in SAMPLERS):
        for count in settings.replaced.features:
            interrupt.check()
            with console.busy(f"the decoder with {count} features: {name}, {sampler} frequencies"):
                for seed in range(settings.seeds):
                    key = jax.random.fold_in(jax.random.key(settings.seed + seed), 4 + number)
                    changed = replaced(decoder, name, sampler, count, jax.random.fold_in(key, count))
                    answers = np.asarray(classes(changed, episodes[seed]))
                    rows.append(
                        {"map": name, "frequencies": sampler, "features": count, "seed": settings.seed + seed}
                        | {"accuracy": float(np.mean(answers == targets[seed]))}
                        | {"exact": float(np.mean(exact[seed] == targets[seed]))}
                        | {"agreement": float(np.mean(answers == exact[seed]))}
                    )
    return rows
