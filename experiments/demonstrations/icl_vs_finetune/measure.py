"""One model on a batch of episodes: what it answers zero-shot, in context and fine-tuned, and how alike these are.

Fine-tuning has two controls: `other`, on the examples of another episode, and `shuffled`, on the episode's examples
with their labels in another order.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.transfer import cosine, kendall, sim_am, sim_aou
from experiments.demonstrations.icl_vs_finetune.fine_tuned import FineTuned
from experiments.demonstrations.icl_vs_finetune.results import ARMS
from lab.learners.decoder import Decoder
from lab.learners.learner import Trace
from lab.learners.shown import ZeroShot
from tasks.classification import cross_entropy
from tasks.episode import Episode
from tasks.task import Task

Measured = dict[str, dict[str, np.ndarray]]  # {measure: {arm: (episodes, ...)}}, on the host


@functools.partial(jax.jit, static_argnames=("batches", "count"))
def measure(
    model: Decoder, task: Task, key: jax.Array, rate: jax.Array, batches, count: int
) -> dict[str, dict[str, jax.Array]]:
    """`count` episodes of a block of its own, (count, Q) for what each query has and (count, L, Q) for each layer too.

    Args:
        batches: the schedule of fine-tuning (the file `fine_tuned`), as nested tuples.

    Returns:
        `right`: 1 where the answer is right, of `zero_shot`, `in_context` and the arms of fine-tuning. Of each arm
        `sim_aou`, `sim_aou_centred`, `sim_am`, `kendall` and `logits`, the cosine of the updates of the answer;
        `sim_am` also of `zero_shot`.
    """
    episodes = task.sample(key, count)
    prompts = dataclasses.replace(episodes.prompt, visible=None)
    others = jax.tree.map(lambda leaf: jnp.roll(leaf, 1, axis=0), (prompts.context, prompts.answers))
    return jax.vmap(functools.partial(_one_episode, model, task, rate, batches))(
        dataclasses.replace(episodes, prompt=prompts), *others
    )


def _one_episode(model: Decoder, task: Task, rate, batches, episode: Episode, other_context, other_answers):
    prompt, queries = episode.prompt, len(episode.target)
    zero, context = ZeroShot(model).trace(prompt), model.trace(prompt)
    weights_LxQxN = attention_on_examples(model, context, queries)

    def one_arm(examples) -> dict[str, jax.Array]:
        arm_prompt = dataclasses.replace(prompt, context=examples[0], answers=examples[1])
        tuned_model, inputs_SxLxMxD = FineTuned(model, cross_entropy, batches, rate).tuned(arm_prompt)
        tuned = ZeroShot(tuned_model).trace(arm_prompt)
        aou, centred = sim_aou(*(required(each.attended)[:, -queries:] for each in (zero, context, tuned)))
        updates = (each.readouts[-1] - zero.readouts[-1] for each in (context, tuned))
        return {
            "right": task.scores(tuned.readouts[-1], episode.target)["accuracy"],
            "sim_aou": aou,
            "sim_aou_centred": centred,
            "sim_am": sim_am(*_scores(model, queries, context, tuned)),
            "kendall": kendall(weights_LxQxN, _products(inputs_SxLxMxD, required(tuned.inputs)[:, -queries:])),
            "logits": cosine(*updates),
        }

    examples = {
        "fine_tuned": (prompt.context, prompt.answers),
        "other": (other_context, other_answers),
        "shuffled": (prompt.context, jnp.roll(prompt.answers, 1, axis=0)),
    }
    # side by side, so that there is one program of fine-tuning to compile and not three
    by_arm = jax.vmap(one_arm)(jax.tree.map(lambda *each: jnp.stack(each), *(examples[arm] for arm in ARMS)))
    measured = {name: {arm: values[i] for i, arm in enumerate(ARMS)} for name, values in by_arm.items()}
    measured["right"] |= {
        name: task.scores(trace.readouts[-1], episode.target)["accuracy"]
        for name, trace in (("zero_shot", zero), ("in_context", context))
    }
    measured["sim_am"]["zero_shot"] = sim_am(*_scores(model, queries, context, zero))
    return measured


def required(array: jax.Array | None) -> jax.Array:
    """Return an array of a decoder's trace, which has all of them."""
    assert array is not None
    return array


def _scores(model: Decoder, queries: int, *traces: Trace) -> list[jax.Array]:
    """(L, H, Q, P + 1) each: the queries' scores on the tokens of a zero-shot prompt, the instructions and itself."""

    def own(trace: Trace) -> jax.Array:
        scores_LxHxQxT = required(trace.scores)[:, :, -queries:]
        itself = jnp.diagonal(scores_LxHxQxT[..., -queries:], axis1=2, axis2=3)[..., None]
        return jnp.concatenate([scores_LxHxQxT[..., : model.shape.instructions], itself], axis=-1)

    return [own(trace) for trace in traces]


def attention_on_examples(model: Decoder, context: Trace, queries: int) -> jax.Array:
    """(L, Q, N): the attention of each query on each example, summed over heads and the tokens of the example."""
    mask_TxT, scores_LxHxTxT = required(context.mask), required(context.scores)
    weights = jax.nn.softmax(jnp.where(mask_TxT[None, None], scores_LxHxTxT, -jnp.inf), axis=-1)
    on_context = jnp.sum(weights[:, :, -queries:, model.shape.instructions : -queries], axis=1)
    per_example = model.shape.layout.PER_EXAMPLE
    return jnp.sum(on_context.reshape(*on_context.shape[:2], -1, per_example), axis=-1)


def _products(inputs_SxLxMxD: jax.Array, of_queries_LxQxD: jax.Array) -> jax.Array:
    """(L, Q, N): u_i . u_q, the attention of a fine-tuned linear layer on the examples it was tuned on [DAI]: what it
    read of example i at its last turn, and what it reads of the query."""
    steps, layers, size, width = inputs_SxLxMxD.shape
    read = jnp.swapaxes(inputs_SxLxMxD, 1, 2).reshape(steps * size, layers, width)
    examples = steps * size if size == 1 else size
    return jnp.einsum("nld,lqd->lqn", read[-examples:], of_queries_LxQxD)
