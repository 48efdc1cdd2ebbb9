"""A decoder and the same with other attention on a batch of episodes: accuracies, agreement, and updates by layer."""

import dataclasses
import functools

import jax
import jax.numpy as jnp

from analysis.metrics.transfer import cosine
from lab.learners.decoder import Decoder
from lab.learners.frozen_scales import FrozenScales
from lab.learners.learner import Trace
from lab.learners.zero_shot import ZeroShot
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
