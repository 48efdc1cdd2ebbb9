"""The path of dual models: the rank of the right class while demonstrations are learned one by one [LRGD, figure 4].

A query's token in the last layer has the dual model W = W_0 + c sum_i v_i phi(k_i)^T over the demonstrations' tokens,
each of which is a step of gradient descent (`lab.dual`). After n of N demonstrations attention's output is the sum of
the weights of softmax times values over the tokens that are learned so far, and after all of them it is the decoder's
own. The layers below have seen all demonstrations, and the normaliser c is that of the whole prompt.
"""

import jax
import jax.numpy as jnp

from lab.learners.decoder import Decoder
from tasks import ranking
from tasks.episode import Prompt


def ranks_along(model: Decoder, prompt: Prompt, label_Q: jax.Array) -> jax.Array:
    """Return the rank of the right class after 0 .. N demonstrations, (N + 1, Q); where logits tie, the mean rank."""
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
