"""Fine-tuning on the examples of a prompt: the counterpart of learning them in context [DAI section 3].

The model is trained on zero-shot prompts, each an example's input as a query, to give that example's answer; only the
keys' and values' matrices of attention change, by plain gradient descent. Then it answers without any example. All of
it happens inside one call: a fine-tuned model is a learner like any other, and `jax.vmap` fine-tunes on many prompts.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from lab.learners.learner import Layered, Learner, Trace, readouts
from lab.learners.zero_shot import without_examples
from tasks.episode import Prompt

Loss = Callable[[jax.Array, jax.Array], jax.Array]  # (answers (M, A), the examples' answers (M, A)) -> (M,)
TUNED = ("w_k", "w_v")


class FineTuned(Layered):
    """`inner` after steps of gradient descent on the mean loss of a batch of the prompt's examples each.

    batches: (S, M) the numbers of the examples of each step. rate: of the descent, traced.
    """

    def __init__(self, inner: Learner, loss: Loss, batches: np.ndarray, rate: float | jax.Array):
        self.inner, self.loss = inner, loss
        self.batches = tuple(tuple(int(example) for example in batch) for batch in batches)
        self.rate = nnx.data(jnp.asarray(rate, float))

    def readouts(self, prompt: Prompt) -> jax.Array:
        return readouts(self.tuned(prompt)[0], without_examples(prompt))

    def trace(self, prompt: Prompt) -> Trace:
        return self.tuned(prompt)[0].trace(without_examples(prompt))

    def tuned(self, prompt: Prompt) -> tuple[Learner, jax.Array]:
        """The fine-tuned model, and what its attention read of each example at its turn (S, L, M, D)."""
        graph, tuned, rest = nnx.split(self.inner, _is_tuned, ...)

        def step(tuned, batch_M):
            def mean_loss(tuned):
                query = jax.tree.map(lambda leaf: leaf[batch_M], prompt.context)
                trace = nnx.merge(graph, tuned, rest).trace(without_examples(prompt.replace(query=query)))
                losses_M = self.loss(trace.readouts[-1], prompt.answers[batch_M])
                return jnp.mean(losses_M), trace.inputs[:, -len(batch_M) :]

            gradient, inputs_LxMxD = jax.grad(mean_loss, has_aux=True)(tuned)
            return jax.tree.map(lambda w, g: w - self.rate * g, tuned, gradient), inputs_LxMxD

        tuned, inputs_SxLxMxD = jax.lax.scan(step, tuned, jnp.asarray(self.batches))
        return nnx.merge(graph, tuned, rest), inputs_SxLxMxD


def one_epoch(examples: int) -> np.ndarray:
    """Every example once, one at a time, in their order: (N, 1)."""
    return np.arange(examples)[:, None]


def full_batch(examples: int, steps: int) -> np.ndarray:
    """All examples in every step: (steps, N)."""
    return np.tile(np.arange(examples), (steps, 1))


def _is_tuned(path: tuple, value) -> bool:
    return isinstance(value, nnx.Param) and path[-1] in TUNED
