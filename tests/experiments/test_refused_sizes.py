"""What a machine cannot compute is refused at once, in a line that names the key and the largest value of it."""

import math
import subprocess
import time

import pytest

from lab.config.base import Device
from lab.config.choices import Platform
from lab.config.identity import iter_settings
from lab.config.points import inputs, point
from lab.config.sizes import Bounds, bytes_of, refuse, sizes_of
from lab.errors import ConfigError
from lab.runs import machine
from tests.command_line import ENVIRONMENT, command

CPU = machine.bounds(Device(require=Platform.cpu))


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
    setting = next(one for one in iter_settings(run.settings) if one.key == key)
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
    one = sizes_of(run)
    assert one is not None
    assert bytes_of([one] * 50) > 10 * sum(one.memory.values())
    bounds = Bounds(bytes_of([one] * 3), math.inf, math.inf)
    refuse([run] * 3, bounds)
    with pytest.raises(ConfigError, match=r"\(point a pool\)"):
        refuse([run] * 50, bounds, "a pool")


def test_inputs_are_checked_with_the_run_that_starts_from_them():
    root = point(["experiment=deep_thinking", "model.words=['model.width=1000000']"])
    with pytest.raises(ConfigError, match=r"model\.width=1000000"):
        refuse([inputs(root)[0].settings], CPU)
