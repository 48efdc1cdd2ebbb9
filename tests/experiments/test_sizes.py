"""The sizes that every kind says from its settings alone: how they grow, and what XLA counts."""

import copy
import math
import subprocess
import sys

import jax
import pytest
from flax import nnx

from experiments.duals.dual_form import linear
from experiments.duals.dual_form import sizes as dual_form
from experiments.duals.dual_form.settings import DualForm
from experiments.functions.functions.run import session_of as session_of_functions
from lab.config import work
from lab.config.base import Base, Device
from lab.config.choices import Platform, Topic
from lab.config.experiments import experiments
from lab.config.kinds import KINDS
from lab.config.points import point, programs
from lab.config.sizes import Bounds, Sizes, bytes_of, refuse, sizes_of
from lab.runs import machine
from tests.command_line import ENVIRONMENT, ROOT
from tests.tiny_runs import prepared, words_of
from trainers import meta
from trainers.decoders.session import session_of
from trainers.population import at

CPU = machine.bounds(Device(require=Platform.cpu))

GROWS = {  # {kind: {key: how many times as large the work is with twice the value, at least and at most}}
    "accelerator": {"rounds": (1.01, 2), "small.prompts": (1.2, 2), "small.decoder.width": (1.3, 4)},
    "attention_ladder": {"eval.episodes": (1.2, 2), "queries": (1.2, 4), "features": (1.01, 2)},
    "click_log": {"train.steps": (1.2, 2), "train.batch_size": (1.2, 2), "model.width": (1.4, 4)},
    "comparison": {"train.steps": (1.1, 2), "seeds": (2, 2), "eval.episodes": (1.1, 2)},
    "decoder": {
        "train.steps": (1.1, 2),
        "seeds": (2, 2),
        "model.width": (1.3, 4),
        "task.num_context": (1, 4),
    },
    "decoder_speed": {"prompts": (2, 2), "model.width": (1.3, 4), "examples": (1.9, 4)},
    "deep_thinking": {"iterations": (2, 2), "queries": (1, 4), "eval.episodes": (1.2, 2)},
    "demonstration_choice": {"sets": (2, 2), "eval.episodes": (1.4, 2), "queries": (1.2, 4)},
    "demonstrations": {"seeds": (2, 2), "rounds": (1.2, 2), "eval.users": (1.4, 2)},
    "dti": {"train.steps": (1.1, 2), "seeds": (2, 2), "model.mlp_width": (1.05, 2)},
    "dti_cost": {"targets": (2, 2), "rounds": (1.3, 2)},
    "dti_reach": {"eval.users": (2, 2), "num_targets": (1.5, 8)},
    "dual_form": {"cases": (2, 2), "examples": (1.2, 8)},
    "functions": {"train.steps": (1.05, 2), "seeds": (2, 2), "eval.episodes": (1.05, 2)},
    "icl_vs_finetune": {"steps": (1.1, 2), "queries": (1, 4), "eval.episodes": (1.1, 2)},
    "language_choice": {"seeds": (1.5, 2), "sets": (1.5, 2)},
    "language_deep_thinking": {"seeds": (1.5, 2), "iterations": (1.4, 2), "text.test": (1.2, 2)},
    "language_dual": {"seeds": (2, 2), "queries": (2, 2)},
    "language_finetune": {"seeds": (1.5, 2), "text.test": (1.2, 2), "validation": (1.05, 2), "epochs": (1.05, 2)},
    "language_model": {"train.steps": (1.1, 2), "train.batch_size": (1.1, 2), "model.width": (1.4, 4)},
    "momentum_attention": {"train.steps": (1.3, 2), "seeds": (2, 2), "model.width": (1.3, 4)},
    "more_steps": {"times": (1.5, 2), "eval.episodes": (1.5, 2)},
    "prompt_shifts": {"eval.episodes": (2, 2)},
    "prompt_text": {"train.steps": (1.1, 2), "seeds": (2, 2), "model.width": (1.2, 4)},
    "recommend": {"train.steps": (1.1, 2), "seeds": (2, 2), "task.num_items": (1.2, 2)},
    "retrieval_cost": {"batch_size": (1.01, 2), "rounds": (1.3, 2)},
    "softmax_dual": {"seeds": (1.5, 2), "errors.problems": (1.01, 2)},
    "speed": {"train.batch_size": (1.01, 2), "seeds": (2, 2)},
    "task_diversity": {"train.steps": (1.05, 2), "seeds": (2, 2), "pool.largest": (1.01, 2)},
}


def of_kind(kind: str, folder) -> Base:
    """Return the settings of the first single run of a kind's tiny words."""
    return prepared(kind, folder).runs[0].settings


def sizes_there(settings: Base) -> Sizes:
    sizes = sizes_of(settings)
    assert sizes is not None
    return sizes


def with_twice(settings: Base, key: str) -> Base:
    changed = copy.deepcopy(settings)
    *sections, name = key.split(".")
    node = changed
    for section in sections:
        node = getattr(node, section)
    setattr(node, name, 2 * getattr(node, name))
    return changed


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_says_its_sizes(kind, tmp_path):
    sizes = sizes_there(of_kind(kind, tmp_path))
    amounts = [*sizes.memory.values(), *sizes.operations.values(), *sizes.silent.values(), *sizes.in_turn.values()]
    assert all(math.isfinite(amount) and amount >= 0 for amount in amounts)
    assert sizes.work > 0
    assert sizes.bytes > 0
    assert max(sizes.silent.values()) <= 1.001 * sizes.work, "a part of the work is between two signs of progress"
    assert sizes.work < 3e11, "a tiny run takes seconds"
    refuse([of_kind(kind, tmp_path)], CPU)


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in sorted(GROWS.items()) for key in keys])
def test_work_grows_as_it_should(kind, key, tmp_path):
    settings = of_kind(kind, tmp_path)
    least, most = GROWS[kind][key]
    ratio = sizes_there(with_twice(settings, key)).work / sizes_there(settings).work
    assert 0.999 * least <= ratio <= 1.001 * most


def test_the_work_of_every_kind_is_tested():
    assert GROWS.keys() == KINDS.keys()


@pytest.mark.parametrize(
    "name", sorted(set(experiments()) - {"click_log", "recommend_log"})
)  # whose file is the user's
def test_the_labs_own_experiments_fit(name):
    """On a single core, too."""
    for program in programs(point([f"experiment={name}"]).runs):
        refuse([run.settings for run in program], Bounds(8e9, machine.RATE * machine.SILENCE, machine.SILENCE))


@pytest.mark.parametrize(
    "words",
    [
        ["experiment=functions_linear", "train.batch_size=16", "grid=[]", "figure=''"],
        ["experiment=shifted_classes", "train.batch_size=16"],
    ],
    ids=["functions", "decoder"],
)
def test_a_training_step_against_xlas_count(words):
    """XLA counts an addition and a multiplication as two operations, and element-wise ones beside products."""
    settings = point(words).settings
    session = (session_of_functions if "functions_linear" in words[0] else session_of)([settings])
    member = at(session.population, 0)
    state = jax.eval_shape(lambda: session._begin(session.population, None))["decoder"]
    learner = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), state.learner)

    def gradient(learner):
        episodes = member.task.sample(member.key, settings.train.batch_size)
        graph, parameters, rest = nnx.split(learner, nnx.Param, ...)
        return jax.grad(lambda parameters: meta.mean_loss(nnx.merge(graph, parameters, rest), member.task, episodes))(
            parameters
        )

    counted = jax.jit(gradient).lower(learner).compile().cost_analysis()["flops"] / 2
    expected = sizes_there(settings).operations["training"] / (settings.train.steps * settings.seeds)
    assert 1 / 3 < expected / counted < 3


def test_what_xla_says_of_the_problems_of_dual_form(float64, monkeypatch):
    """The estimate, less its factor of safety, is within a factor of two of it."""
    compiled = []

    def jit(function):
        def call(*arguments):
            compiled.append(jax.jit(function).lower(*arguments).compile())
            return compiled[-1](*arguments)

        return call

    monkeypatch.setattr(linear, "quick_jit", jit)
    linear_topic = [Topic.linear]
    for settings in (
        DualForm(topics=linear_topic),
        DualForm(examples=300, input_dim=100, topics=linear_topic),
        DualForm(steps=300, cases=10, topics=linear_topic),
    ):
        linear.measure(settings)
        needs = compiled[-1].memory_analysis()
        taken = needs.temp_size_in_bytes + needs.argument_size_in_bytes + needs.output_size_in_bytes
        assert 0.5 < dual_form.sizes(settings).bytes / dual_form.SAFETY / taken < 2


# VmHWM is of the program alone. ru_maxrss begins with the peak of the process that started it, which may be larger.
PEAK = """
import run

try:
    run.main()
finally:
    with open("/proc/self/status") as file:
        print("PEAK", next(line.split()[1] for line in file if line.startswith("VmHWM")))
"""


def peak_bytes(words: list[str], folder) -> float:
    """Of a second run: the first one compiles, for which it may take some 250 MB more than the run itself."""
    for again in [], ["run.force=true"]:
        done = subprocess.run(
            [sys.executable, "-c", PEAK, *words, *again],
            cwd=folder,
            env=ENVIRONMENT | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
    return 1024 * float(done.stdout.split("PEAK ")[-1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("functions", ["train.batch_size=512", "task.num_context=40", "model.num_layers=3"]),
        ("recommend", ["users=6000", "eval.users=6000", "task.num_items=2000"]),
        ("decoder", ["train.batch_size=1024", "model.num_layers=3", "task.num_context=20"]),
        ("deep_thinking", ["eval.block=1024", "eval.episodes=1024", "scored=[32]", "queries=64"]),
        ("demonstration_choice", ["eval.block=256", "eval.episodes=256", "sets=32"]),
        ("demonstrations", ["eval.block=4000", "eval.users=4000", "pool=64", "task.slate=16"]),
        ("prompt_text", ["eval.block=4096", "eval.users=4096", "queries=16", "task.slate=32"]),
    ],
)
def test_memory_grows_as_it_is_expected_to(kind, changes, tmp_path):
    """Against the peak of a process: what a larger run takes beyond a tiny one."""
    prepared(kind, tmp_path)
    tiny = words_of(kind)
    larger = [*tiny, *changes]
    expected = [bytes_of([sizes_there(point(words).runs[0].settings)]) for words in (tiny, larger)]
    measured = [peak_bytes(words, tmp_path) for words in (tiny, larger)]
    assert expected[1] - expected[0] > 250e6  # less may fit what the start of the program takes and gives back
    assert 1 / 4 < (expected[1] - expected[0]) / (measured[1] - measured[0]) < 4


def test_a_file_of_a_log_counts(tmp_path):
    (tmp_path / "log.csv").write_bytes(b"0" * 1000)
    assert work.file_bytes(str(tmp_path / "log.csv")) == work.file_bytes(str(tmp_path)) == 1000
    assert work.file_bytes(str(tmp_path / "none.csv")) == 0
