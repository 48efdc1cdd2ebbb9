"""A batch in parts is a batch: its loss and gradient are those of all its episodes together."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import LeastSquares
from lab.learners.linear_transformer import LinearTransformer, Shape
from tasks.plain import Plain
from trainers import batches
from trainers.batches import PART, averaged, parts_of, together, turns_of
from trainers.meta import mean_loss


@pytest.mark.parametrize(
    ("context", "batch", "count"),
    [(10, 2048, 1), (1000, 512, 8), (10_000, 52, 13), (10**6, 4, 4), (1000, 509, 1), (1000, 2018, 2)],
)
def test_parts_are_equal_and_near_to_what_fits(context, batch, count):
    """44 bytes an example. A batch with few divisors is not ground to single episodes."""
    assert parts_of(Plain(num_context=context), batch) == count
    assert batch % count == 0
    if (context, batch) in ((1000, 512), (10_000, 52)):
        assert PART / 2 < batch / count * context * 44 <= PART


@pytest.mark.parametrize("backend", ["cpu", "gpu"])
def test_value_and_gradient_are_those_of_the_whole_batch(backend, float64, monkeypatch):
    monkeypatch.setattr(batches, "PART", 2**12)
    monkeypatch.setattr(jax, "default_backend", lambda: backend)  # which decides whether parts follow one another
    task, key = Plain(num_context=6, input_dim=3), jax.random.key(1)
    count = parts_of(task, 60)
    assert count > 2
    learner = LinearTransformer(Shape(TokenLayout.of(task), num_layers=2), jax.random.key(0), 1.0)

    def of(learner, episodes):
        return mean_loss(learner, task, episodes)

    def of_some(key, size):
        return jax.value_and_grad(of, allow_int=True)(learner, task.sample(key, size))

    value, gradient = jax.jit(lambda: averaged(of_some, task, key, 60))()
    parts = [task.sample(jax.random.fold_in(key, part), 60 // count) for part in range(count)]
    together = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)
    wanted, wanted_gradient = jax.value_and_grad(of)(learner, together)
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-10, atol=1e-13), gradient, wanted_gradient)


def test_memory_of_a_step_does_not_grow_with_the_batch():
    """What a program needs beside its arguments and results is the parts', here of a context of 4,000 examples."""
    task = Plain(num_context=4000)

    def needed(batch):
        def loss(key, size):
            return mean_loss(LeastSquares(TokenLayout.of(task)), task, task.sample(key, size))

        program = jax.jit(lambda key: averaged(loss, task, key, batch)).lower(jax.random.key(0)).compile()
        return program.memory_analysis().temp_size_in_bytes

    assert needed(256) < 1.1 * needed(32)


def test_an_accelerator_counts_all_parts_at_once(monkeypatch):
    task = Plain(num_context=1000)
    assert turns_of(task, 512) == parts_of(task, 512) > 1
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert turns_of(task, 512) == 1


def test_members_together_take_the_least_time(monkeypatch):
    """The time of a step is its start and its members' work; no number of members that is allowed takes less."""
    task, start = Plain(), 3
    monkeypatch.setattr(batches, "TOGETHER", 5 * task.bytes_of(8))
    monkeypatch.setattr(batches, "START", start * task.bytes_of(8))
    assert [together(task, 8, members) for members in (1, 5, 6, 7, 11, 64)] == [1, 5, 3, 4, 4, 5]
    for members in range(1, 40):
        steps = {chunk: math.ceil(members / chunk) * (start + chunk) for chunk in range(1, 6)}
        assert steps[together(task, 8, members)] == min(steps.values())
    assert together(task, 8000, 3) == 1
    assert together(task, 8, 5, one_by_one=True) == 1
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert together(task, 8000, 3) == 3
