"""How programs are compiled, and the answer before the figures."""

import functools
import json

import jax
import numpy as np
import pytest

from lab.config.points import point
from tasks.rag_dot import RagDot
from tests.compiled import own_programs
from trainers import launch, pending, programs
from trainers.programs import Programs, Stopwatch

EMITTERS = "xla_cpu_use_fusion_emitters"


def double(x):
    return 2 * x


@pytest.fixture
def options(monkeypatch):
    """The options of all programs that are compiled."""
    seen, compile = [], jax.stages.Lowered.compile

    def compiled(self, options=None, **more):
        seen.append(options)
        return compile(self, options, **more)

    monkeypatch.setattr(jax.stages.Lowered, "compile", compiled)
    return seen


RULES = [
    ("evaluate", 1e9, programs.WITHOUT_EMITTERS),
    ("setup", 1e9, programs.WITHOUT_EMITTERS),
    ("train", 1e9, None),
    ("evaluate", 1, None),
]


@pytest.mark.parametrize(("purpose", "short", "expected"), RULES)
def test_only_short_programs_that_train_nothing_do_without_emitters(purpose, short, expected, options, monkeypatch):
    monkeypatch.setattr(programs, "SHORT", short)
    assert np.array_equal(Programs(Stopwatch(), 0).run(purpose, "double", double, np.ones(3)), [2, 2, 2])
    assert options == [expected]


def test_a_version_of_xla_without_the_option_compiles_all_the_same(options, monkeypatch):
    monkeypatch.setattr(programs, "WITHOUT_EMITTERS", {"xla_cpu_nosuch": False})
    assert Programs(Stopwatch(), 0).run("evaluate", "double", double, 1.0) == 2
    assert options == [{"xla_cpu_nosuch": False}, None]


def test_without_emitters_episodes_are_the_same_to_rounding(optimized):
    """Random numbers are the same bits. A product may be rounded before it is added, or after."""
    with own_programs("emitters"):
        task = RagDot(num_context=4, input_dim=3)
        lowered = jax.jit(lambda key: task.sample(key, 100)).lower(jax.random.key(0))
        one, other = (lowered.compile({EMITTERS: each})(jax.random.key(0)) for each in (True, False))
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=1e-6, atol=1e-6), one, other)
    assert np.array_equal(one.prompt.context.x, other.prompt.context.x)


def test_the_answer_is_printed_before_the_figures_are_drawn(tmp_path, monkeypatch, capsys):
    printed = []

    def draw(directory):
        printed.append(capsys.readouterr().out)
        return draw_it(directory)

    draw_it = pending.draw
    monkeypatch.setattr(pending, "draw", draw)
    launch.launch(point(["experiment=dual_form", "cases=2", "topics=[linear]", f"run.dir={tmp_path}"]))
    (before,), after = printed, capsys.readouterr().out
    (summary,) = tmp_path.glob("*/*/summary.json")
    answer = json.loads(summary.read_text())["answer"]
    assert answer in before
    assert "report: " in after
    assert "report: " not in before
    assert answer not in after
