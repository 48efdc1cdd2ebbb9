"""The baseline of the benchmark: the forward pass as it is written on paper, without any of the lab's short cuts.

Every layer projects every token with W_Q, W_K, W_V and P, the queries' too, and forms all scores k_s . q_t. Nothing is
merged, no Gram matrix is formed, nothing is left out of the last layer.
"""

import jax
import jax.numpy as jnp

from lab.config.choices import Features
from lab.config.comparison import Config
from lab.learners.learner import Layered
from lab.learners.linear_transformer import LinearTransformer, Shape
from tasks.episode import Prompt


class PlainForward(Layered):
    """The same function as the Transformer that it is made of (one that it `covers`), whose weights it trains."""

    def __init__(self, transformer: LinearTransformer):
        self.transformer = transformer

    def readouts(self, prompt: Prompt) -> jax.Array:
        shape, layout = self.transformer.shape, self.transformer.shape.layout
        context_NxD = layout.context_tokens(prompt)
        queries_QxD = layout.query_tokens(prompt, self.transformer.initial_model[...])
        tokens_TxD, count, said = jnp.concatenate([context_NxD, queries_QxD]), len(context_NxD), []
        for layer in range(shape.num_layers):
            block = self.transformer.blocks[0 if shape.recurrent else layer]
            w_q, w_k, w_v, p = (weight[...][0] for weight in (block.w_q, block.w_k, block.w_v, block.p))
            k_NxD, v_NxD, q_TxD = tokens_TxD[:count] @ w_k.T, tokens_TxD[:count] @ w_v.T, tokens_TxD @ w_q.T
            scores_NxT = k_NxD @ q_TxD.T
            tokens_TxD = tokens_TxD + scores_NxT.T @ v_NxD @ p.T
            said.append(-tokens_TxD[count:, layout.feature_dim :])
        return jnp.stack(said)


def covers(config: Config, shape: Shape) -> bool:
    """Whether the plain forward pass is written for such a Transformer."""
    plain = shape.num_heads == 1 and shape.document_width == 0 and shape.clip is None
    return plain and config.model.features is Features.inputs
