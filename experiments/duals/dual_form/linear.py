"""Linear attention and gradient descent are two forms of one computation [LRGD eqs. 1-4, DAI].

A linear model W with a loss l per example descends L(W) = sum_k l(W x_k, y_k) with the rate beta. The error signal of
example k is e_k = -beta dl/dyhat_k, and -beta grad L(W) = sum_k e_k x_k^T. A model after descent is therefore

    W x' = W_0 x' + sum_k v_k (x_k . x') = W_0 x' + LA(x', keys x_k, values v_k),

with these values v_k: e_k at W_0 for one full-batch step; the sum of e_k over the steps for several; and for online
steps e_k at the model just before the step on example k. This holds for any differentiable loss.

Shapes: N examples, Q queries, X inputs, Y outputs.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from experiments.duals.dual_form.rows import Measured, Statement, distance, over_cases
from experiments.duals.dual_form.settings import DualForm
from lab.attention.linear import linear_attention
from tasks.flat_random import normal
from trainers.streams import Stream, key_of

Loss = Callable[[jax.Array, jax.Array], jax.Array]  # prediction (Y,), answer (Y,) -> scalar


def squared_error(prediction_Y: jax.Array, answer_Y: jax.Array) -> jax.Array:
    """Return 1/2 ||prediction - answer||^2."""
    return 0.5 * jnp.sum((prediction_Y - answer_Y) ** 2)


def cross_entropy(prediction_Y: jax.Array, answer_Y: jax.Array) -> jax.Array:
    """Return the cross-entropy of logits (the prediction) and the probabilities of the classes (the answer)."""
    return -jnp.sum(answer_Y * jax.nn.log_softmax(prediction_Y))


def hebbian(prediction_Y: jax.Array, answer_Y: jax.Array) -> jax.Array:
    """Return -answer . prediction. It is linear in the prediction, so its error signals do not depend on the model."""
    return -jnp.sum(answer_Y * prediction_Y)


LOSSES: dict[str, Loss] = {"squared error": squared_error, "cross-entropy": cross_entropy, "Hebbian": hebbian}

TOPIC = "linear attention"
STATEMENTS = {
    "one_step": Statement(
        "Linear attention over the error signals at the initial model is one full-batch gradient step.",
        "LRGD, eqs. 1-4; DAI",
    ),
    "several_steps": Statement(
        "Linear attention over error signals summed over S steps is S full-batch gradient steps."
    ),
    "online_steps": Statement(
        "Linear attention over error signals, each at its own step's model, is one pass of online steps."
    ),
    "batch_same_as_online": Statement("One full-batch step and one pass of online steps are the same function."),
    "batch_not_online": Statement(
        "One full-batch step and one pass of online steps are different functions.", relation="different"
    ),
}


class Problem(NamedTuple):
    """The initial model, the examples and the queries of one problem."""

    initial_YxX: jax.Array  # W_0
    inputs_NxX: jax.Array
    answers_NxY: jax.Array
    queries_QxX: jax.Array


def problems(settings: DualForm) -> Problem:
    """Return random problems, with the cases as the first axis of each array.

    Inputs have a mean square length of 1, answers are real numbers, and there are as many queries as inputs are wide:
    linear maps that are equal on them are equal everywhere.
    """
    n, x, y = settings.examples, settings.input_dim, settings.output_dim
    shapes = [(settings.cases, *shape) for shape in ((y, x), (n, x), (n, y), (x, x))]
    initial, inputs, answers, queries = normal(key_of(settings.seed, Stream.problems), *shapes)
    return Problem(initial, x**-0.5 * inputs, answers, x**-0.5 * queries)


def answered_for(loss: Loss, problem: Problem) -> Problem:
    """Return the problem with one-hot classes as answers if the loss is cross-entropy, else as it is."""
    if loss is not cross_entropy:
        return problem
    num_classes = problem.answers_NxY.shape[-1]
    return problem._replace(answers_NxY=jax.nn.one_hot(jnp.argmax(problem.answers_NxY, axis=-1), num_classes))


def attend(problem: Problem, queries_QxX: jax.Array, values_NxY: jax.Array) -> jax.Array:
    """Return W_0 x' + LA(x', keys x_k, values v_k), (Q, Y)."""
    initial_QxY = queries_QxX @ problem.initial_YxX.T
    return initial_QxY + linear_attention(queries_QxX, problem.inputs_NxX, values_NxY)


def error_signals(loss: Loss, predictions_NxY: jax.Array, answers_NxY: jax.Array, rate: jax.Array) -> jax.Array:
    """Return e_k = -beta dl/dyhat_k, (N, Y)."""
    return -rate * jax.vmap(jax.grad(loss))(predictions_NxY, answers_NxY)


def batch_values(loss: Loss, problem: Problem, rate: jax.Array, steps: int) -> jax.Array:
    """Return the error signals, summed over the full-batch steps so far, (S, N, Y). Predictions are attention."""

    def step(values_NxY, _):
        predictions_NxY = attend(problem, problem.inputs_NxX, values_NxY)
        values_NxY = values_NxY + error_signals(loss, predictions_NxY, problem.answers_NxY, rate)
        return values_NxY, values_NxY

    return jax.lax.scan(step, jnp.zeros_like(problem.answers_NxY), length=steps)[1]


def online_values(loss: Loss, problem: Problem, rate: jax.Array) -> jax.Array:
    """Return the error signal (N, Y) of each example at its turn, when the values of later examples are still zero."""

    def step(values_NxY, example):
        k, input_X, answer_Y = example
        prediction_1xY = attend(problem, input_X[None], values_NxY)
        signal_1xY = error_signals(loss, prediction_1xY, answer_Y[None], rate)
        return values_NxY.at[k].set(signal_1xY[0]), None

    examples = (jnp.arange(len(problem.inputs_NxX)), problem.inputs_NxX, problem.answers_NxY)
    return jax.lax.scan(step, jnp.zeros_like(problem.answers_NxY), examples)[0]


def batch_descent(loss: Loss, problem: Problem, rate: jax.Array, steps: int) -> jax.Array:
    """Return the models (S, Y, X) after each full-batch step on L(W) = sum_k l(W x_k, y_k), differentiated in W."""

    def total(model_YxX):
        return jnp.sum(jax.vmap(loss)(problem.inputs_NxX @ model_YxX.T, problem.answers_NxY))

    def step(model_YxX, _):
        model_YxX = model_YxX - rate * jax.grad(total)(model_YxX)
        return model_YxX, model_YxX

    return jax.lax.scan(step, problem.initial_YxX, length=steps)[1]


def online_descent(loss: Loss, problem: Problem, rate: jax.Array) -> jax.Array:
    """Return the model (Y, X) after one step per example, in their order."""

    def step(model_YxX, example):
        input_X, answer_Y = example
        return model_YxX - rate * jax.grad(lambda w_YxX: loss(w_YxX @ input_X, answer_Y))(model_YxX), None

    return jax.lax.scan(step, problem.initial_YxX, (problem.inputs_NxX, problem.answers_NxY))[0]


def distances(problem: Problem, rate: jax.Array, steps: int, loss: Loss) -> dict[str, jax.Array]:
    """Return {identity: distance of its two sides} for one problem."""
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


def measure(settings: DualForm) -> Measured:
    """Return the distances of the two sides of each identity, for every loss and case."""
    rate = jnp.asarray(settings.learning_rate)

    def case(problem):
        return {
            name: distances(answered_for(loss, problem), rate, settings.steps, loss) for name, loss in LOSSES.items()
        }

    measured = over_cases(case, problems(settings))
    return {
        identity: {loss: measured[loss][identity] for loss in LOSSES if identity in measured[loss]}
        for identity in STATEMENTS
    }
