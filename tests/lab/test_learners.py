"""What every learner does: it is of one type, and sees what it may see."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from analysis.metrics.order import order_sensitivity
from lab.layouts.merged import TokenLayout
from lab.learners.attention_stacks import NormalisedTransformer, SoftmaxTransformer
from lab.learners.construction import constructed
from lab.learners.damped_iteration import Repeated
from lab.learners.descent import GradientDescent
from lab.learners.fit_per_query import Averaging, LeastSquares, Nearest
from lab.learners.four_rates import FourRates
from lab.learners.given import Constant
from lab.learners.heavy_ball import HeavyBall
from lab.learners.interpolation import interpolated
from lab.learners.lasso import Lasso
from lab.learners.learner import Layered, Learner, predict, readouts
from lab.learners.momentum_transformer import MomentumTransformer
from lab.learners.newton import Newton
from lab.learners.preconditioned_descent import PreconditionedDescent
from lab.learners.prompt_network import PromptNetwork, ValidatedNetwork
from lab.learners.ridge import Ridge
from lab.learners.shown import Shuffled
from tasks.catalogue import TASKS
from tests.compiled import called
from tests.lab.makers import (
    KEY,
    NAMES,
    answer,
    by_hand_of,
    embedded,
    gd_plus_plus,
    one_prompt,
    prompts_of,
    shape_of,
    transformer,
)


def stack(kind, task):
    shape = shape_of(task, num_layers=2, num_heads=2, recurrent=False)
    return jax.jit(lambda key: kind(shape, key, 1.0))(jax.random.key(0))


# One row gives a learner every test of this file.
LEARNERS = {
    "transformer": lambda task: transformer(task, num_layers=2, num_heads=2),
    "softmax": lambda task: stack(SoftmaxTransformer, task),
    "layer_norm": lambda task: stack(NormalisedTransformer, task),
    "momentum": lambda task: stack(MomentumTransformer, task),
    "repeated": lambda task: Repeated(transformer(task), 3, 0.5),
    "constructed": lambda task: by_hand_of(task, num_layers=2),
    "interpolated": lambda task: jax.jit(interpolated)(transformer(task), by_hand_of(task)),
    "gradient_descent": lambda task: GradientDescent(TokenLayout.of(task), 0.5, steps=3),
    "heavy_ball": lambda task: HeavyBall(TokenLayout.of(task), 0.5, steps=3),
    "gd_plus_plus": lambda task: gd_plus_plus(task, 3),
    "four_rates": lambda task: FourRates(TokenLayout.of(task), 0.5, steps=3),
    "newton": lambda task: Newton(TokenLayout.of(task), 0.5, steps=3),
    "preconditioned": lambda task: PreconditionedDescent(TokenLayout.of(task), 0.5, steps=3),
    "ridge": lambda task: Ridge(TokenLayout.of(task), 0.1),
    "least_squares": lambda task: LeastSquares(TokenLayout.of(task)),
    "embedded": lambda task: embedded(task, lambda layout: GradientDescent(layout, 0.5, steps=2)),
}
ORDERED = ("momentum",)  # what an example shows depends on its place
EVERY = [*zip(sorted(LEARNERS), itertools.cycle(NAMES), strict=False), *(("transformer", name) for name in NAMES)]
EVERY = sorted({*EVERY})  # the task is that of its tokens: the Transformer on each, of the others one


@pytest.mark.parametrize(("learner", "name"), EVERY)
def test_answers_every_prompt(learner, name):
    task = TASKS[name](input_dim=3, num_context=4, num_queries=2, output_dim=2)
    one = LEARNERS[learner](task)
    assert isinstance(one, Learner)
    prompts = prompts_of(task, 5)
    assert answer(one, prompts).shape == (5, 2, 2)
    leaves, structure = jax.tree.flatten(one)
    np.testing.assert_array_equal(answer(one, prompts), answer(jax.tree.unflatten(structure, leaves), prompts))


@pytest.mark.parametrize(("learner", "name"), EVERY)
def test_sees_neither_other_queries_nor_the_order(learner, name, float64):
    ordered = learner in ORDERED
    task = TASKS[name](input_dim=3, num_context=4, num_queries=2)
    learner, prompt = LEARNERS[learner](task), one_prompt(task)

    # zero gradient of the first query's prediction in the second query, nonzero in its own
    by_query = jax.jit(jax.jacobian(lambda x: learner(prompt.replace(query=prompt.query.replace(x=x)))[0]))(
        prompt.query.x
    )
    assert np.all(by_query[:, 1] == 0)
    assert np.any(by_query[:, 0] != 0)

    prompts = jax.tree.map(lambda leaf: leaf[None], prompt)
    sensitivity = jax.jit(lambda prompts: order_sensitivity(learner, prompts, KEY))(prompts)
    assert sensitivity > 1e-3 if ordered else sensitivity < 1e-10  # a sum in another order


def test_a_constant_is_the_answer_to_every_prompt():
    """Hidden examples change nothing."""
    prompts = prompts_of(TASKS["plain"](num_queries=2, output_dim=2), 3)
    for each in (prompts, prompts.replace(visible=jnp.zeros((3, 2, 10), bool))):
        expected = np.broadcast_to([1.0, 2.0], (3, 2, 2))
        np.testing.assert_array_equal(answer(Constant(jnp.array([1.0, 2.0])), each), expected)


def test_targets_of_other_examples():
    """Least squares that sees y_N, y_1, ..., y_(N-1) is least squares on a prompt with those targets."""
    task = TASKS["plain"](num_context=4, input_dim=3)
    learner, prompts = LeastSquares(TokenLayout.of(task)), prompts_of(task, 3)
    turned = prompts.replace(answers=prompts.answers[:, jnp.array([3, 0, 1, 2])])
    np.testing.assert_array_equal(answer(Shuffled(learner), prompts), answer(learner, turned))
    assert not np.allclose(answer(learner, prompts), answer(learner, turned))


FITTED = {
    "averaging": Averaging,
    "nearest": Nearest,
    "lasso": lambda layout: Lasso(layout, 0.05),
    "prompt_network": lambda layout: PromptNetwork(layout, KEY, 6, 20, 0.02),
    "validated_network": lambda layout: ValidatedNetwork(layout, KEY, 6, 20, [0.02, 0.3, 0.002]),
}
HONOURS = {name: LEARNERS[name] for name in ("gradient_descent", "ridge", "least_squares", "embedded")} | {
    name: lambda task, make=make: make(TokenLayout.of(task)) for name, make in FITTED.items()
}


@pytest.mark.parametrize("name", HONOURS)
def test_a_query_is_answered_as_if_its_visible_examples_were_the_prompt(name, float64):
    """A network that is validated holds examples out by their place, so those before it are to be seen. 1e-9: networks
    take twenty steps, which add to roundings."""
    task = TASKS["plain"](input_dim=3, num_context=6, num_queries=3)
    learner, prompt, is_network = HONOURS[name](task), one_prompt(task), "network" in name
    gaps, prefixes = [[1, 0, 1, 1, 0, 1], [0, 0, 1, 0, 0, 0]], [[1, 1, 1, 1, 1, 0], [1, 0, 0, 0, 0, 0]]
    visible = np.array([*(prefixes if name == "validated_network" else gaps), [1] * 6], bool)
    answers = called(learner, prompt.replace(visible=jnp.array(visible)))
    for query, seen in enumerate(visible):
        shown = jax.tree.map(lambda leaf, seen=seen: leaf[seen], (prompt.context, prompt.answers))
        alone = called(learner, prompt.replace(context=shown[0], answers=shown[1]))
        np.testing.assert_allclose(answers[query], alone[query], atol=1e-9 if is_network else 1e-12)
    hidden = called(learner, prompt.replace(visible=jnp.zeros((3, 6), bool)))
    assert is_network or not hidden.any()


@pytest.mark.parametrize("learner", sorted({*LEARNERS} - {*HONOURS}))
def test_hidden_examples_are_refused_by_whoever_cannot_leave_them_out(learner):
    """By every method, alone and in a batch, and by the learner inside another."""
    task = TASKS["plain"](input_dim=3, num_context=4, num_queries=2)
    learner, prompt = LEARNERS[learner](task), one_prompt(task)
    hidden = prompt.replace(visible=jnp.ones((2, 4), bool).at[0, 1].set(False))
    methods = [learner, *((learner.readouts, learner.trace) if isinstance(learner, Layered) else ())]
    for method in (*methods, lambda prompt: readouts(learner, prompt)):
        with pytest.raises(ValueError, match=r"cannot honour prompt\.visible"):
            method(hidden)
    with pytest.raises(ValueError, match=r"cannot honour prompt\.visible"):
        predict(learner, jax.tree.map(lambda a: a[None], hidden))


def test_trained_and_constructed_are_one_pytree_type_in_which_the_initial_model_is_no_parameter():
    task = TASKS["rag_dot"]()
    trained, by_hand = transformer(task), constructed(shape_of(task), 0.5, 10)
    assert jax.tree.structure(trained) == jax.tree.structure(by_hand)
    _, parameters, fixed = nnx.split(trained, nnx.Param, ...)
    assert (len(jax.tree.leaves(parameters)), len(jax.tree.leaves(fixed))) == (6, 1)
