"""Rungs, which can take the place of softmax in a trained decoder, and how its answers change.

Two rungs are no other attention: with `FROZEN` softmax stays, and the queries' scales and secants are those of the
prompt without examples; `DUAL` is softmax as one gradient step of each token's dual model.
"""

import dataclasses
import functools
from collections.abc import Sequence

import jax
import jax.numpy as jnp

from analysis.metrics.transfer import cosine
from experiments.duals.softmax_dual.replaced import replaced
from lab.attention.linear import Linear
from lab.attention.softmax import Softmax
from lab.attention.taylor import MeanLinear, StartNormaliser, Taylor
from lab.learners.decoder import Decoder, with_attention
from lab.learners.decoder_block import Attention
from lab.learners.dual_step import DualStep
from lab.learners.frozen_scales import FrozenScales
from lab.learners.learner import Trace
from lab.learners.shown import ZeroShot
from tasks.classification import Classification
from tasks.episode import Prompt


@functools.partial(jax.jit, static_argnames=("count",))
def measure(
    model: Decoder, changed: Decoder | FrozenScales, task: Classification, key: jax.Array, count: int
) -> dict[str, jax.Array]:
    """`count` episodes, in which every query sees all examples.

    Args:
        model: the trained decoder.
        changed: the same weights with other attention, or with frozen scales.

    Returns:
        Means over queries, (count,) each: `accuracy` and `agreement` of the changed decoder, `own` and `zero_shot`, the
        accuracies of the decoder with and without examples. `similarity` (count, L): the cosine of the updates of
        attention's output by the examples in both decoders, of the queries' tokens.
    """
    episodes = task.sample(key, count)
    prompts = dataclasses.replace(episodes.prompt, visible=None)

    def one_episode(prompt: Prompt, label_Q: jax.Array) -> dict[str, jax.Array]:
        traces = [each.trace(prompt) for each in (model, changed, ZeroShot(model), ZeroShot(changed))]
        own_QxC, other_QxC, nothing_QxC, _ = (each.readouts[-1] for each in traces)
        finite_Q = jnp.all(jnp.isfinite(other_QxC), axis=-1)
        right = {name: task.scores(answer, label_Q)["accuracy"] for name, answer in (
            ("own", own_QxC), ("zero_shot", nothing_QxC))}  # fmt: skip
        other_Q = jnp.where(finite_Q, jnp.argmax(other_QxC, axis=-1), -1)  # -1: no class, and so a wrong answer
        right["accuracy"] = (other_Q == label_Q).astype(float)
        right["agreement"] = (other_Q == jnp.argmax(own_QxC, axis=-1)).astype(float)
        attended = [attended_by_queries(each, len(label_Q)) for each in traces]
        similarity_LxQ = cosine(attended[0] - attended[2], attended[1] - attended[3])
        return {name: jnp.mean(each) for name, each in right.items()} | {"similarity": jnp.mean(similarity_LxQ, axis=1)}

    return jax.vmap(one_episode)(prompts, episodes.target)


def attended_by_queries(trace: Trace, queries: int) -> jax.Array:
    """Return what attention adds to the queries' tokens, (L, Q, D)."""
    assert trace.attended is not None  # a decoder's trace has it
    return trace.attended[:, -queries:]


SOFTMAX = "softmax"
FROZEN = "scales without examples"
DUAL = "step of dual models"
MAP, SAMPLER = "positive", "orthogonal"  # the random features that keep most of a decoder (`softmax_dual`)


def rungs(decoder: Decoder, degrees: Sequence[int], features: int, key: jax.Array) -> dict[str, Decoder | FrozenScales]:
    """Return {name: the decoder with that attention in every block, or with frozen scales}, in their order.

    Args:
        degrees: of Taylor weights.
        features: the number of random features.
        key: draws their frequencies, of every head of every block its own.
    """
    shape = decoder.shape
    each: dict[str, Attention] = {
        "linear": Linear(),
        "linear, divided by n": MeanLinear(),
        **{f"Taylor, degree {degree}": Taylor(degree) for degree in sorted(degrees)},
        "normaliser without examples": StartNormaliser(shape.instructions),
    }
    random = {f"{features} random features": replaced(decoder, MAP, SAMPLER, features, key)}
    exact = {DUAL: DualStep(shape.instructions), SOFTMAX: Softmax()}
    simpler, whole = (
        {name: with_attention(decoder, [attention] * shape.num_blocks) for name, attention in attentions.items()}
        for attentions in (each, exact)
    )
    return simpler | random | {FROZEN: FrozenScales(decoder)} | whole
