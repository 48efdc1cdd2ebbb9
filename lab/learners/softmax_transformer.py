"""The Transformer of softmax self-attention alone: the linear one with a softmax over its scores ([VO23] A.9).

Each layer updates every token by e_j <- e_j + sum_h P_h V_h softmax(K_h^T q_{h,j}), with keys, values and queries as in
`lab.learners.linear_transformer`; there is no scale, bias, layer norm or MLP. The query is not among the keys.

One head can only be a kernel smoother, since its weights are positive and sum to one. With scores near zero they are
about (1 + k^T q) / N, so the difference of two heads is linear in the scores, and is a step of gradient descent.
"""

import functools

import jax

from lab.attention.fast_softmax import attend_softmax
from lab.attention.linear_layers import Attend
from lab.learners.linear_transformer import AttentionStack, Block


class SoftmaxBlock(Block):
    """One layer of softmax attention; the rows of documents, if any, are in the same softmax as the context."""

    def weigh(self, scores_HxTxS: jax.Array) -> jax.Array:
        return jax.nn.softmax(scores_HxTxS, axis=-1)

    def attend(self) -> Attend:
        return functools.partial(attend_softmax, self.circuits())


class SoftmaxTransformer(AttentionStack[SoftmaxBlock]):
    """The stack of such layers; the scores in its trace are those before the softmax."""

    BLOCK = SoftmaxBlock
