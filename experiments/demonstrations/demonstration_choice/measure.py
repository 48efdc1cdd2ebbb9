"""One decoder on a batch of episodes: how well it answers the same queries with each set of demonstrations."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.effect import effect
from lab.learners.decoder import Decoder
from lab.learners.shown import ZeroShot
from tasks import ranking
from tasks.classification import Classification
from tasks.episode import Prompt


def ranks_along(model: Decoder, prompt: Prompt, label_Q: jax.Array) -> jax.Array:
    """Return the rank of the right class after 0 .. N demonstrations, (N + 1, Q); where logits tie, the mean rank.

    A query's token in the last layer has the dual model W = W_0 + c sum_i v_i phi(k_i)^T over the demonstrations'
    tokens, each of which is a step of gradient descent (`lab.dual`) [LRGD]. After n of N demonstrations attention's
    output is the sum of softmax weights times values over the tokens that are learned so far, and after all of them the
    decoder's own. The layers below have seen all demonstrations, and the normaliser c belongs to the whole prompt.
    """
    shape, queries, examples = model.shape, len(label_Q), len(prompt.answers)
    x_TxD, visibility, honest_Q = model.tokens(prompt)
    block, tokens = model.layers()[-1], len(x_TxD)
    if shape.num_layers > 1:
        x_TxD = model.forward(x_TxD, visibility)["outputs"][-2]
    q_HxTxA, k_GxTxA, v_GxTxA = block.projected(block.attention_norm(x_TxD), visibility, model.positions)
    k_HxTxA, v_HxTxA = (block.by_head(each, len(q_HxTxA)) for each in (k_GxTxA, v_GxTxA))
    mask_QxT = visibility.mask[-queries:]
    bias_HxQxT = None if visibility.bias is None else visibility.bias[:, -queries:]
    # Attention is linear in the values: of unit vectors it is the matrix of the weights.
    weights_HxQxT = jax.vmap(
        lambda attention, q, k, bias: attention(q, k, jnp.eye(tokens), mask_QxT, bias),
        in_axes=(0, 0, 0, None if bias_HxQxT is None else 0),
    )(block.attention, q_HxTxA[:, -queries:], k_HxTxA, bias_HxQxT)
    place_T = jnp.arange(tokens) - shape.instructions
    of_examples_T = (place_T >= 0) & (place_T < shape.layout.PER_EXAMPLE * examples)
    number_T = jnp.where(of_examples_T, 1 + place_T // shape.layout.PER_EXAMPLE, 0)

    def after(learned: jax.Array) -> jax.Array:
        out_HxQxA = (weights_HxQxT * (number_T <= learned)[None, None]) @ v_HxTxA
        x_QxD = x_TxD[-queries:] + jnp.einsum("hqa,hda->qd", out_HxQxA, block.w_o[...])
        answers_QxC = model.answers(x_QxD + block.mlp(x_QxD), honest_Q)
        return ranking.ranks(answers_QxC, label_Q).mean(lambda rank: rank)

    return jax.vmap(after)(jnp.arange(examples + 1))


def steps_to_first(ranks_NxQ: jax.Array) -> jax.Array:
    """Return after how many demonstrations the right class is the first for the first time, (Q,); one more than there
    are where it never is.

    Args:
        ranks_NxQ: after 0 .. N - 1 demonstrations.
    """
    never_1xQ = jnp.zeros((1, ranks_NxQ.shape[1]), bool)
    is_first = jnp.concatenate([ranks_NxQ == 1, ~never_1xQ])
    return jnp.argmax(is_first, axis=0)


Measured = dict[str, np.ndarray]  # {score: (B, M, Q)}, and "zero_shot": (B, Q)


@functools.partial(jax.jit, static_argnames=("count", "sets", "followed"))
def measure(
    model: Decoder, task: Classification, key: jax.Array, count: int, sets: int, followed: tuple[int, int]
) -> dict[str, jax.Array]:
    """`count` episodes whose contexts are cut into `sets` sets of demonstrations, so all from the same classes.

    Args:
        followed: the first of the queries that are followed along the path of the dual models, and the end of them.

    Returns:
        `effect`, `accuracy` and `loss` of each query with each set, (count, sets, Q), and its accuracy without any
        demonstrations, `zero_shot` (count, Q). Means over the queries that are followed: the `rank` of the right class
        after 0 .. N demonstrations (count, sets, N + 1), and after how many it is the first, `steps` (count, sets).
    """
    episodes = task.sample(key, count)

    def one_episode(prompt, label_Q):
        def one_set(context, answers):
            one_prompt = prompt.replace(context=context, answers=answers, visible=None)
            answer_QxC = model(one_prompt)
            query = jax.tree.map(lambda leaf: leaf[slice(*followed)], prompt.query)
            ranks_NxP = ranks_along(model, one_prompt.replace(query=query), label_Q[slice(*followed)])
            return {
                "effect": effect(answer_QxC, label_Q),
                "accuracy": task.scores(answer_QxC, label_Q)["accuracy"],
                "loss": task.loss(answer_QxC, label_Q),
                "rank": jnp.mean(ranks_NxP, axis=1),
                "steps": jnp.mean(steps_to_first(ranks_NxP)),
            }

        examples = (prompt.context, prompt.answers)
        by_set = jax.vmap(one_set)(*jax.tree.map(lambda leaf: leaf.reshape(sets, -1, leaf.shape[-1]), examples))
        return by_set | {"zero_shot": task.scores(ZeroShot(model)(prompt), label_Q)["accuracy"]}

    return jax.vmap(one_episode)(episodes.prompt, episodes.target)
