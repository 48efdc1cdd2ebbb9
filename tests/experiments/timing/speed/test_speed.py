"""The benchmark: what is compared is the same function, what is counted is what is there; no clock is judged."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.timing.speed.run import PlainForward
from tasks.catalogue import TASKS
from tests.lab.makers import KEY, one_prompt, prompts_of, transformer
from tests.run_files import table
from tests.trainers.sessions import settings_of
from trainers.timing.ceilings import bare_random, operations, random_words
from trainers.timing.training import Training

pytestmark = pytest.mark.slow  # whole experiments


def test_the_plain_forward_is_the_same_function(float64):
    task = TASKS["rag_dot"](input_dim=3, num_context=4, num_queries=2, output_dim=2)
    model, prompt = transformer(task, num_layers=2, num_heads=2, recurrent=False, clip=1.0), one_prompt(task)
    plain, ours = (jax.jit(lambda p, learner=learner: learner(p))(prompt) for learner in (PlainForward(model), model))
    np.testing.assert_allclose(plain, ours, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("around", [lambda learner: learner, PlainForward])
def test_counted_operations_grow_with_the_batch(around):
    flops = {}
    for batch in (64, 256):
        config = settings_of("kind=speed", "name=speed", f"train.batch_size={batch}")
        flops[batch] = Training(config, around).one.cost_analysis()["flops"]
    assert flops[256] == pytest.approx(4 * flops[64], rel=0.1)


def test_the_plain_forward_trains_alike():
    config = settings_of("kind=speed", "name=speed", "train.batch_size=8", "seeds=2")
    (_, ours), (_, plain) = (Training(config, around).call(3)() for around in (lambda of: of, PlainForward))
    assert ours.shape == (2, 3)
    np.testing.assert_allclose(plain, ours, rtol=1e-5)


def test_as_many_numbers_are_drawn_as_episodes_hold():
    task = TASKS["plain"](num_context=6, num_queries=2, input_dim=3, output_dim=2)
    prompts = prompts_of(task, 5)
    teachers = 5 * task.output_dim * task.input_dim
    count = random_words(lambda key: task.sample(key, 5), KEY)
    assert count == prompts.context.x.size + prompts.query.x.size + teachers
    assert random_words(bare_random(count, steps=7), KEY) == count
    drawn = [jax.random.uniform(jax.random.fold_in(KEY, i), (count,), minval=-1.0, maxval=1.0) for i in range(7)]
    np.testing.assert_allclose(bare_random(count, steps=7)(KEY), jnp.sum(jnp.stack(drawn)), rtol=1e-4)


def test_operations_of_products_are_counted_in_loops_and_derivatives():
    """A product of (3, 4) and (4, 5) takes 2 x 3 x 4 x 5; its derivatives by both factors take as many each."""
    a, b = jnp.ones((3, 4)), jnp.ones((4, 5))
    once = 2 * 3 * 4 * 5
    assert operations(jnp.matmul, a, b) == once
    assert operations(jax.vmap(jnp.matmul), jnp.ones((7, 3, 4)), jnp.ones((7, 4, 5))) == 7 * once
    assert operations(jax.grad(lambda a, b: jnp.sum(jnp.sin(a @ b)), argnums=(0, 1)), a, b) == 3 * once

    def repeated(a, b):
        return jax.lax.scan(lambda total, _: (total + jnp.sum(jnp.sin(total + a) @ b), None), jnp.zeros(()), length=6)

    assert operations(repeated, a, b) == 6 * once
    assert operations(jnp.add, a, a) == 0


def test_a_long_context_bounds_the_batch():
    words = ("kind=speed", "name=speed", "examples=10000")
    assert Training(settings_of(*words)).recipe.batch_size == 512
    assert Training(settings_of(*words, "task.num_context=2000")).recipe.batch_size == 5


AXES = {"layers": [1, 2], "context": [100, 200], "population": [1, 2]}
COLUMNS = ("episodes_per_second", "share_of_flops", "share_of_bytes", "share_of_random", "speed_up")


def test_from_the_command_to_the_report(tiny):
    rows, steps = table(tiny.directory, "points"), table(tiny.directory, "steps")
    assert [row["part"] for row in rows] == [part for part, values in AXES.items() for _ in values]
    assert [int(row["seeds"]) for row in rows if row["part"] == "population"] == AXES["population"]
    for row in rows:
        assert all(float(row[name]) > 0 for name in COLUMNS)
        assert 4 * int(row["seeds"]) / float(row["milliseconds.training"]) * 1e3 == pytest.approx(
            float(row["episodes_per_second"])
        )
    assert {row["program"] for row in steps} == {"training", "random", "plain"}
    rates = {json.dumps(point["ceilings"]) for point in tiny.summary["points"].values()}
    assert len(rates) == 1, "they are measured once"
    assert len(tiny.summary["claims"]) == 1
