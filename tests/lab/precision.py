"""How far products with rounded factors take the constructed Transformer from one step of gradient descent in float64.

`python -m tests.lab.precision highest default` prints it for the device that JAX finds first.
"""

import json
import sys

import jax
import numpy as np

from lab.layouts.merged import TokenLayout
from lab.learners.construction import constructed
from lab.learners.learner import predict
from lab.learners.linear_transformer import Shape
from tasks.catalogue import TASKS

ETA, WIDTH, EPISODES = 1.5, 64, 32  # tokens of 64 numbers, 64 examples, 64 queries: products that tensor cores do


def measure(precisions: list[str]) -> dict[str, dict[str, float]]:
    """{precision: {"rms", "worst"}} of the errors of predictions, each divided by the sum of the absolute values of
    the terms that it is a sum of, eta/N sum_n |y_n| sum_i |x_ni| |q_i|: rounding every factor by a relative u moves it
    by no more than a multiple of u of that."""
    task = TASKS["plain"](input_dim=WIDTH - 1, num_context=WIDTH, num_queries=WIDTH)
    prompts, layout = task.sample(jax.random.key(0), EPISODES).prompt, TokenLayout.of(task)
    x, y, query = (np.asarray(a, np.float64) for a in (prompts.context.x, prompts.answers, prompts.query.x))

    def step(x_BxNxX, y_BxNxY, query_BxQxX):
        scores_BxNxQ = np.einsum("bnx,bqx->bnq", x_BxNxX, query_BxQxX)
        return ETA / WIDTH * np.einsum("bny,bnq->bqy", y_BxNxY, scores_BxNxQ)

    exact_BxQxY, size_BxQxY, result = step(x, y, query), step(abs(x), abs(y), abs(query)), {}
    for precision in precisions:
        with jax.default_matmul_precision(precision):
            model = constructed(Shape(layout), ETA, WIDTH)
            error = (np.asarray(jax.jit(predict)(model, prompts), np.float64) - exact_BxQxY) / size_BxQxY
        result[precision] = {"rms": float(np.sqrt(np.mean(error**2))), "worst": float(np.max(np.abs(error)))}
    return result


if __name__ == "__main__":
    device = jax.devices()[0]
    about = {"platform": device.platform, "capability": getattr(device, "compute_capability", None)}
    print(json.dumps(about | {"errors": measure(sys.argv[1:])}))
