"""What is refused as too large, and that no experiment of the lab is."""

import jax
import pytest

from experiments.comparison import sizes
from experiments.comparison.settings import Comparison
from experiments.dual_form import linear
from experiments.dual_form import run as dual_form
from experiments.dual_form.settings import DualForm
from experiments.speed import sizes as speed_sizes
from lab.config import compose
from lab.config.choices import Topic
from lab.config.experiments import experiments
from lab.config.points import point
from lab.errors import ConfigError
from tasks.catalogue import TASKS
from tests.trainers.sessions import settings_of
from trainers import limits

compose.register()


def require(settings):
    if isinstance(settings, Comparison):
        (task,) = TASKS[settings.task.name].together([settings.task])
        sizes.require(settings, task)
    elif isinstance(settings, DualForm):
        limits.check_limits(settings, dual_form.limits_of(settings))
    else:
        speed_sizes.require(settings)


@pytest.mark.parametrize(
    "name",
    ["plain", "rag_dot", "rag_linear", "depth_long", "fig5", "shift", "speed", "dual_form", "interleaved", "sine"],
)
def test_the_labs_own_experiments_fit(name):
    assert name in experiments()
    for run in point([f"experiment={name}"]).runs:
        require(run.settings)


SPEED = ["experiment=speed", "~parts"]


@pytest.mark.parametrize(
    "words",
    [
        ["experiment=plain", "train.batch_size=99999999"],
        ["experiment=plain", "eval.episodes=2000000000"],
        ["experiment=plain", "model.layout=interleaved", "train.batch_size=1", "task.num_context=50000"],
        ["experiment=plain", "task.input_dim=99999"],
        ["experiment=plain", "task.num_queries=99999999"],
        ["experiment=dual_form", "cases=2000000000"],
        ["experiment=dual_form", "examples=2000000000"],
        ["experiment=dual_form", "steps=2000000000"],
        [*SPEED, "examples=2000000000", "train.batch_size=99999999"],
        [*SPEED, "train.batch_size=2000000000", "examples=2000000000"],
        [*SPEED, "task.input_dim=99999"],
        [*SPEED, "task.num_queries=999999999"],
    ],
    ids=lambda words: " ".join(words),
)
def test_the_largest_value_that_is_named_fits(words):
    with pytest.raises(ConfigError) as error:
        require(settings_of(*words))
    assert str(error.value).startswith(f"{words[-1]}: ")
    key, largest = words[-1].split("=")[0], int(str(error.value).split()[-1])
    require(settings_of(*words, f"{key}={int(largest * 0.99)}"))
    with pytest.raises(ConfigError):
        require(settings_of(*words, f"{key}={int(largest * 1.01) + 1}"))


def test_interleaved_tokens_are_as_wide_as_there_are_positions():
    """So contexts that merged tokens allow would make weights that train for hours."""
    words = ["experiment=plain", "train.batch_size=1", "eval.episodes=2", "baselines.line_search_episodes=1"]
    require(settings_of(*words, "task.num_context=50000"))
    with pytest.raises(ConfigError, match=r"task.num_context=50000: training would give no sign for hours"):
        require(settings_of(*words, "task.num_context=50000", "model.layout=interleaved"))


def test_what_xla_says_of_the_problems_of_dual_form(float64, monkeypatch):
    """The estimate, less its factor of safety of two, is within a factor of two of it."""
    compiled = []

    def jit(function):
        def call(*arguments):
            compiled.append(jax.jit(function).lower(*arguments).compile())
            return compiled[-1](*arguments)

        return call

    monkeypatch.setattr(linear, "quick_jit", jit)
    for sizes_of in ({}, {"examples": 300, "input_dim": 100}, {"steps": 300, "cases": 10}):
        settings = DualForm(**sizes_of, topics=[Topic.linear])
        linear.measure(settings)
        needs = compiled[-1].memory_analysis()
        taken = needs.temp_size_in_bytes + needs.argument_size_in_bytes + needs.output_size_in_bytes
        assert 0.5 < 0.5 * dual_form.limits_of(settings)[0].amount / taken < 2
