"""Fine-tuning on the examples of a prompt, the counterpart of learning them in context [DAI].

The model is trained on zero-shot prompts, each with the input of one example as its query, to give that example's
answer. Only the matrices of attention's keys and values change, by plain gradient descent. Then it answers without any
example. All of this happens inside one call, so a fine-tuned model is a learner like any other, and `jax.vmap`
fine-tunes on many prompts.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from lab.learners.learner import Layered, Trace
from lab.learners.shown import without_examples
from tasks.episode import Prompt

Loss = Callable[[jax.Array, jax.Array], jax.Array]  # (answers (M, A), the examples' answers (M, A)) -> (M,)
TUNED = ("w_k", "w_v")  # the parameters that change


class FineTuned(Layered):
    """The learner `inner` after S steps of gradient descent, each on the mean loss of M of the prompt's examples.

    batches: (S, M) indices of the examples of each step. rate: step size of the descent, traced.
    """

    def __init__(self, inner: Layered, loss: Loss, batches: np.ndarray, rate: float | jax.Array):
        self.inner, self.loss = inner, loss
        self.batches = tuple(tuple(int(example) for example in batch) for batch in batches)
        self.rate = nnx.data(jnp.asarray(rate, float))

    def readouts(self, prompt: Prompt) -> jax.Array:
        return self.tuned(prompt)[0].readouts(without_examples(prompt))

    def trace(self, prompt: Prompt) -> Trace:
        return self.tuned(prompt)[0].trace(without_examples(prompt))

    def tuned(self, prompt: Prompt) -> tuple[Layered, jax.Array]:
        """Return the fine-tuned model, and the inputs of its attention for the examples of each step (S, L, M, D)."""
        graph, tuned, rest = nnx.split(self.inner, _is_tuned, ...)

        def step(tuned, batch_M):
            def mean_loss(tuned):
                query = jax.tree.map(lambda leaf: leaf[batch_M], prompt.context)
                zero_shot = without_examples(dataclasses.replace(prompt, query=query))
                trace = nnx.merge(graph, tuned, rest).trace(zero_shot)
                if trace.inputs is None:
                    raise ValueError("only a learner whose trace has the inputs of its attention can be fine-tuned")
                losses_M = self.loss(trace.readouts[-1], prompt.answers[batch_M])
                return jnp.mean(losses_M), trace.inputs[:, -len(batch_M) :]

            gradient, inputs_LxMxD = jax.grad(mean_loss, has_aux=True)(tuned)
            return jax.tree.map(lambda w, g: w - self.rate * g, tuned, gradient), inputs_LxMxD

        tuned, inputs_SxLxMxD = jax.lax.scan(step, tuned, jnp.asarray(self.batches))
        return nnx.merge(graph, tuned, rest), inputs_SxLxMxD


def one_epoch(examples: int) -> np.ndarray:
    """Return batches (N, 1) that hold every example once, one per step, in their order."""
    return np.arange(examples)[:, None]


def full_batch(examples: int, steps: int) -> np.ndarray:
    """Return batches (steps, N) that hold all examples in every step."""
    return np.tile(np.arange(examples), (steps, 1))


def _is_tuned(path: tuple, value) -> bool:
    return isinstance(value, nnx.Param) and path[-1] in TUNED
