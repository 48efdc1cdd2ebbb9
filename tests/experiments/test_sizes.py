"""The sizes that every kind says from its settings alone: how they grow, what XLA counts, and what is refused."""

import copy
import math
import subprocess
import sys
import time

import jax
import pytest
from flax import nnx

from experiments.dual_form import linear
from experiments.dual_form import sizes as dual_form
from experiments.dual_form.settings import DualForm
from experiments.functions.run import session_of as session_of_functions
from lab.config import work
from lab.config.base import Base, Device
from lab.config.choices import Platform, Topic
from lab.config.compose import register
from lab.config.experiments import experiments
from lab.config.identity import each
from lab.config.kinds import KINDS
from lab.config.points import inputs, point, programs
from lab.config.sizes import Bounds, Sizes, bytes_of, refuse, sizes_of
from lab.errors import ConfigError
from lab.runs import machine
from tests.command_line import ENVIRONMENT, ROOT, command
from tests.tiny_runs import prepared, words_of
from trainers import meta
from trainers.decoders.session import session_of
from trainers.population import at

register()
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
    "language_dual": {"seeds": (1.5, 2), "queries": (1.01, 2)},
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
    for program in programs(point([f"experiment={name}"]).runs):
        refuse([run.settings for run in program], Bounds(8e9, CPU.operations, CPU.seconds))


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


TOO_LARGE = {
    "a width": (["experiment=functions_linear", "model.width=1000000"], "model.width=1000000: "),
    "a context": (["experiment=functions_linear", "task.num_context=100000"], "task.num_context=100000: "),
    "a pool": (
        ["experiment=task_diversity", "pool.largest=1048576", "task.input_dim=1000"],
        "pool.largest=1048576: the functions of the pool would not fit the memory (point size=1)",
    ),
    "test users": (["experiment=recommend", "eval.users=2000000000"], "eval.users=2000000000: "),
}


@pytest.mark.slow
@pytest.mark.parametrize(("words", "line"), TOO_LARGE.values(), ids=TOO_LARGE)
def test_what_is_too_large_is_refused_at_once(words, line, tmp_path):
    """In one line that names the key, in less than five seconds of the processor, and nothing is written."""
    begun = time.perf_counter()
    done = subprocess.run(
        command(*words), cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=60
    )
    assert time.perf_counter() - begun < 20, "on a machine with other work; alone it is two seconds"
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {line}")
    assert "must be <= " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not done.stdout
    assert not [*tmp_path.iterdir()]


SPEED = ["experiment=speed", "~parts"]


@pytest.mark.parametrize(
    "words",
    [
        ["experiment=plain", "train.batch_size=99999999"],
        ["experiment=plain", "eval.episodes=2000000000"],
        ["experiment=plain", "model.layout=interleaved", "train.batch_size=1", "task.num_context=50000"],
        ["experiment=plain", "task.input_dim=99999"],
        ["experiment=plain", "task.num_queries=99999999"],
        ["experiment=plain", "shift.num_context=[5,2000000000]"],
        ["experiment=dual_form", "cases=2000000000"],
        ["experiment=dual_form", "examples=2000000000"],
        ["experiment=dual_form", "steps=2000000000"],
        [*SPEED, "examples=2000000000", "train.batch_size=99999999"],
        [*SPEED, "train.batch_size=2000000000", "examples=2000000000"],
        [*SPEED, "task.input_dim=99999"],
        [*SPEED, "task.num_queries=999999999"],
        ["experiment=shifted_classes", "model.mlp_width=90000000"],
        ["experiment=momentum_attention", "eval.episodes=900000000"],
        ["experiment=recommend", "task.num_items=90000000"],
        ["experiment=demonstrations", "eval.block=90000000"],
        ["experiment=softmax_dual", "errors.problems=90000000"],
        ["experiment=retrieval_cost", "documents=[2,90000000]"],
    ],
    ids=lambda words: " ".join(words),
)
def test_the_largest_value_that_is_named_fits(words):
    (run,) = point(words).runs
    with pytest.raises(ConfigError, match=r"must be <= \d+$") as error:
        refuse([run.settings], CPU)
    key = str(error.value).split("=")[0]
    assert key in {word.split("=")[0] for word in words}
    largest = int(str(error.value).split()[-1])
    setting = next(one for one in each(run.settings) if one.key == key)
    for value, fits in ((largest, True), (math.ceil(1.01 * largest) + 1, False)):
        shown = [value] if isinstance(setting.value, list) else value
        (changed,) = point([*words, f"{key}={shown}".replace(" ", "")]).runs
        if fits:
            refuse([changed.settings], CPU)
        else:
            with pytest.raises(ConfigError):
                refuse([changed.settings], CPU)


def test_interleaved_tokens_are_as_wide_as_there_are_positions():
    """So contexts that merged tokens allow would make weights that train for hours."""
    words = ["experiment=plain", "train.batch_size=1", "eval.episodes=2", "baselines.line_search_episodes=1"]
    merged, interleaved = (
        point([*words, "task.num_context=50000", *layout]).settings for layout in ([], ["model.layout=interleaved"])
    )
    refuse([merged], CPU)
    with pytest.raises(ConfigError, match=r"task.num_context=50000: training would give no sign for hours"):
        refuse([interleaved], CPU)


def test_where_one_key_is_not_enough_the_others_are_named():
    (run,) = point(["experiment=demonstrations", "eval.block=90000000", "eval.users=90000000"]).runs
    with pytest.raises(ConfigError, match=r"^eval.block=90000000: .*; lower eval.users, "):
        refuse([run.settings], CPU)


def test_points_that_train_together_need_their_memory_together():
    run = point(["experiment=task_diversity", "grid=['pool.size=1,2']"]).runs[0].settings
    one = sizes_there(run)
    assert bytes_of([one] * 50) > 10 * sum(one.memory.values())
    bounds = Bounds(bytes_of([one] * 3), math.inf, math.inf)
    refuse([run] * 3, bounds)
    with pytest.raises(ConfigError, match=r"\(point a pool\)"):
        refuse([run] * 50, bounds, "a pool")


def test_inputs_are_checked_with_the_run_that_starts_from_them():
    root = point(["experiment=deep_thinking", "model.words=['model.width=1000000']"])
    with pytest.raises(ConfigError, match=r"model\.width=1000000"):
        refuse([inputs(root)[0].settings], CPU)


def test_a_file_of_a_log_counts(tmp_path):
    (tmp_path / "log.csv").write_bytes(b"0" * 1000)
    assert work.file_bytes(str(tmp_path / "log.csv")) == work.file_bytes(str(tmp_path)) == 1000
    assert work.file_bytes(str(tmp_path / "none.csv")) == 0
