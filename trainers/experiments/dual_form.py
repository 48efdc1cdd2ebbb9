"""Linear attention and gradient descent are two forms of one computation [LRGD eqs. 1-4, DAI].

A linear model W with a loss l per example descends L(W) = sum_k l(W x_k, y_k) with the rate beta. The error signal of
example k is e_k = -beta dl/dyhat_k, and -beta grad L(W) = sum_k e_k x_k^T. A model after descent is therefore

    W x' = W_0 x' + sum_k v_k (x_k . x') = W_0 x' + LA(x', keys x_k, values v_k),

with the values v_k = e_k at W_0 for one full-batch step, the sum of e_k over the steps for several, and e_k at the
model of example k's own turn for online steps. This holds for any differentiable loss.

Shapes: N examples, Q queries, X inputs, Y outputs.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lab.attention.linear import linear_attention
from lab.config.dual_form import DualForm
from tasks.draw import normal
from trainers.limits import FLOAT, Limit, check_limits, usable_bytes

# A prediction goes through some hundred roundings of 1e-16 each, of numbers up to 10: errors of 1e-15 to 1e-13.
TOLERANCE = 1e-12
# Different functions are a thousand times further apart than equal ones may be. Batch and online descent are apart by
# the order of beta^2 (cross-entropy: 3e-2 at beta = 0.2, 9e-7 at beta = 0.001): this decides above beta = 1e-4.
DIFFERENCE = 1e3 * TOLERANCE

Loss = Callable[[jax.Array, jax.Array], jax.Array]  # prediction (Y,), answer (Y,) -> scalar


def squared_error(prediction_Y: jax.Array, answer_Y: jax.Array) -> jax.Array:
    return 0.5 * jnp.sum((prediction_Y - answer_Y) ** 2)


def cross_entropy(prediction_Y: jax.Array, answer_Y: jax.Array) -> jax.Array:
    """The prediction holds logits, the answer the probability of each class."""
    return -jnp.sum(answer_Y * jax.nn.log_softmax(prediction_Y))


def hebbian(prediction_Y: jax.Array, answer_Y: jax.Array) -> jax.Array:
    """Linear in the prediction: its error signals do not depend on the model."""
    return -jnp.sum(answer_Y * prediction_Y)


LOSSES: dict[str, Loss] = {"squared error": squared_error, "cross-entropy": cross_entropy, "Hebbian": hebbian}

STATEMENTS = {
    "one_step": "Linear attention over the error signals at the initial model is one full-batch gradient step.",
    "several_steps": "Linear attention over error signals summed over S steps is S full-batch gradient steps.",
    "online_steps": "Linear attention over error signals, each at its own step's model, is one pass of online steps.",
    "batch_same_as_online": "One full-batch step and one pass of online steps are the same function.",
    "batch_not_online": "One full-batch step and one pass of online steps are different functions.",
}


class Problem(NamedTuple):
    initial_YxX: jax.Array  # W_0
    inputs_NxX: jax.Array
    answers_NxY: jax.Array
    queries_QxX: jax.Array


def problems(settings: DualForm) -> Problem:
    """Random problems, cases as the first axis of each array.

    Inputs have a mean square length of 1, answers are real numbers, and there are as many queries as inputs are wide:
    linear maps that are equal on them are equal everywhere.
    """
    n, x, y = settings.examples, settings.input_dim, settings.output_dim
    shapes = [(settings.cases, *shape) for shape in ((y, x), (n, x), (n, y), (x, x))]
    initial, inputs, answers, queries = normal(jax.random.key(settings.seed), *shapes)
    return Problem(initial, x**-0.5 * inputs, answers, x**-0.5 * queries)


def answered_for(loss: Loss, problem: Problem) -> Problem:
    """The same with answers that are classes (one-hot) where the loss takes classes."""
    if loss is not cross_entropy:
        return problem
    num_classes = problem.answers_NxY.shape[-1]
    return problem._replace(answers_NxY=jax.nn.one_hot(jnp.argmax(problem.answers_NxY, axis=-1), num_classes))


def attend(problem: Problem, queries_QxX: jax.Array, values_NxY: jax.Array) -> jax.Array:
    """W_0 x' + LA(x', keys x_k, values v_k) (Q, Y)."""
    initial_QxY = queries_QxX @ problem.initial_YxX.T
    return initial_QxY + linear_attention(queries_QxX, problem.inputs_NxX, values_NxY)


def error_signals(loss: Loss, predictions_NxY: jax.Array, answers_NxY: jax.Array, rate: jax.Array) -> jax.Array:
    """e_k = -beta dl/dyhat_k (N, Y)."""
    return -rate * jax.vmap(jax.grad(loss))(predictions_NxY, answers_NxY)


def batch_values(loss: Loss, problem: Problem, rate: jax.Array, steps: int) -> jax.Array:
    """The error signals summed over the full-batch steps so far (S, N, Y). Each step's predictions are attention."""

    def step(values_NxY, _):
        predictions_NxY = attend(problem, problem.inputs_NxX, values_NxY)
        values_NxY = values_NxY + error_signals(loss, predictions_NxY, problem.answers_NxY, rate)
        return values_NxY, values_NxY

    return jax.lax.scan(step, jnp.zeros_like(problem.answers_NxY), length=steps)[1]


def online_values(loss: Loss, problem: Problem, rate: jax.Array) -> jax.Array:
    """The error signal (N, Y) of each example at its turn. Values of later examples are still zero then."""

    def step(values_NxY, example):
        k, input_X, answer_Y = example
        prediction_1xY = attend(problem, input_X[None], values_NxY)
        signal_1xY = error_signals(loss, prediction_1xY, answer_Y[None], rate)
        return values_NxY.at[k].set(signal_1xY[0]), None

    examples = (jnp.arange(len(problem.inputs_NxX)), problem.inputs_NxX, problem.answers_NxY)
    return jax.lax.scan(step, jnp.zeros_like(problem.answers_NxY), examples)[0]


def batch_descent(loss: Loss, problem: Problem, rate: jax.Array, steps: int) -> jax.Array:
    """The models (S, Y, X) after each full-batch step on L(W) = sum_k l(W x_k, y_k), differentiated in W."""

    def total(model_YxX):
        return jnp.sum(jax.vmap(loss)(problem.inputs_NxX @ model_YxX.T, problem.answers_NxY))

    def step(model_YxX, _):
        model_YxX = model_YxX - rate * jax.grad(total)(model_YxX)
        return model_YxX, model_YxX

    return jax.lax.scan(step, problem.initial_YxX, length=steps)[1]


def online_descent(loss: Loss, problem: Problem, rate: jax.Array) -> jax.Array:
    """The model (Y, X) after one step per example, in their order."""

    def step(model_YxX, example):
        input_X, answer_Y = example
        return model_YxX - rate * jax.grad(lambda w_YxX: loss(w_YxX @ input_X, answer_Y))(model_YxX), None

    return jax.lax.scan(step, problem.initial_YxX, (problem.inputs_NxX, problem.answers_NxY))[0]


def distances(problem: Problem, rate: jax.Array, steps: int, loss: Loss) -> dict[str, jax.Array]:
    """{identity: distance of its two sides} on one problem."""
    queries_QxX = problem.queries_QxX
    batch_SxNxY = batch_values(loss, problem, rate, steps)
    models_SxYxX = batch_descent(loss, problem, rate, steps)
    online_NxY = online_values(loss, problem, rate)
    online_QxY = queries_QxX @ online_descent(loss, problem, rate).T
    first_QxY, last_QxY = (queries_QxX @ models_SxYxX[s].T for s in (0, -1))
    return {
        "one_step": distance(attend(problem, queries_QxX, batch_SxNxY[0]), first_QxY),
        "several_steps": distance(attend(problem, queries_QxX, batch_SxNxY[-1]), last_QxY),
        "online_steps": distance(attend(problem, queries_QxX, online_NxY), online_QxY),
        "batch_same_as_online" if loss is hebbian else "batch_not_online": distance(first_QxY, online_QxY),
    }


def distance(predictions_QxY: jax.Array, expected_QxY: jax.Array) -> jax.Array:
    """The largest absolute difference, relative to the largest prediction where that exceeds 1."""
    return jnp.max(jnp.abs(predictions_QxY - expected_QxY)) / jnp.maximum(1.0, jnp.max(jnp.abs(expected_QxY)))


def identities(settings: DualForm) -> list[dict]:
    """One row per identity and loss. To be called with 64-bit numbers enabled.

    Returns:
        Rows of `statement`, `loss`, `source`, `identity` (a short name to select rows by), `relation` (`equal`, or
        `different` where the statement asserts a difference), `error` (the largest distance over the cases),
        `tolerance` (the bound that it must not exceed, or must exceed for `different`) and `holds` (1 or 0).
    """

    @jax.jit
    def measure(problems, rate):
        def case(problem):
            return {
                name: distances(answered_for(loss, problem), rate, settings.steps, loss)
                for name, loss in LOSSES.items()
            }

        return jax.vmap(case)(problems)

    measured = measure(problems(settings), jnp.asarray(settings.rate))
    return [
        row(identity, loss, np.asarray(cases))
        for identity in STATEMENTS
        for loss in LOSSES
        if (cases := measured[loss].get(identity)) is not None
    ]


def row(identity: str, loss: str, distances: np.ndarray) -> dict:
    """What the distances of all cases say of an identity."""
    different = identity == "batch_not_online"
    error, tolerance = distances.max(), DIFFERENCE if different else TOLERANCE
    return {
        "statement": STATEMENTS[identity],
        "loss": loss,
        "source": "LRGD, eqs. 1-4; DAI" if identity == "one_step" else "derived here",
        "identity": identity,
        "relation": "different" if different else "equal",
        "error": float(error),
        "tolerance": tolerance,
        "holds": int(error > tolerance if different else error <= tolerance),
    }


def run(records: Sequence) -> None:
    """Write the table `identities`, and as numbers the largest error and the distance of online from batch descent.

    Raises:
        ConfigError: the problems do not fit into the memory; nothing is written then.
    """
    for record in records:
        check_limits(record.settings, [in_memory(record.settings)])
        with jax.enable_x64(True):
            rows = identities(record.settings)
        record.table("identities", rows)
        record.numbers(headline(rows))


def in_memory(settings: DualForm) -> Limit:
    """All cases are computed at once: for each loss what attends and is attended to, and the models and values of all
    steps, in float64. XLA's own count is within a factor of two of that."""
    n, x, y, steps = settings.examples, settings.input_dim, settings.output_dim, settings.steps
    numbers = len(LOSSES) * settings.cases * (n * (x + y) + x * (x + y) + steps * (n + x) * y)
    powers = {"cases": 1, "examples": 1, "output_dim": 1, "steps": 1, "input_dim": 2}
    return Limit("the problems exceed the memory", 2 * 2 * FLOAT * numbers, usable_bytes(), powers)


def headline(rows: list[dict]) -> dict[str, float]:
    """The numbers that a summary shows."""
    return {
        "largest_error": max(row["error"] for row in rows if row["relation"] == "equal"),
        "batch_against_online": min(row["error"] for row in rows if row["relation"] == "different"),
        "statements": len(rows),
        "statements_that_hold": sum(row["holds"] for row in rows),
    }
