"""Trackers hold what metrics.jsonl holds, each value once, however often a run was stopped; nobody else is told."""

import json
import socket
import struct
import subprocess
import sys

import numpy as np
import pytest

from lab.config import points
from lab.config.choices import Tracker
from lab.errors import ConfigError
from tests.command_line import ENVIRONMENT, ROOT, TINY, lab
from tests.trainers.small_runs import made, run
from tests.trainers.test_resume import finished, stopped_at
from trainers import launch, resume

pytestmark = pytest.mark.usefixtures("compiled_once")
TWO = (["seeds=2"], ["seed=5", "train.learning_rate=0.01"])


@pytest.fixture(autouse=True)
def _a_checkpoint_after_every_evaluation(monkeypatch):
    monkeypatch.setattr(resume, "SHARE", float("inf"))


def recorded(directory):
    """[(seed, step, name, value)] of metrics.jsonl, sorted; a column's first dot is a slash."""
    result = []
    for line in (directory / "metrics.jsonl").read_text().splitlines():
        for row in json.loads(line)["members"]:
            rest = {key: value for key, value in row.items() if key not in ("seed", "step") and value is not None}
            result += [(row["seed"], row["step"], key.replace(".", "/", 1), value) for key, value in rest.items()]
    return sorted(result)


def in_tensorboard(directory):
    """The same of the event files, by their format: length, checksum, bytes, checksum."""
    from tensorboardX.proto.event_pb2 import Event  # pyright: ignore[reportAttributeAccessIssue]
    from tensorboardX.record_writer import masked_crc32c

    result = []
    for file in directory.glob("tensorboard/seed_*/events.out.tfevents.*"):
        rest, seed = file.read_bytes(), int(file.parent.name.removeprefix("seed_"))
        while rest:
            (size,) = struct.unpack("<Q", rest[:8])
            data = rest[12 : 12 + size]
            assert struct.unpack("<I", rest[12 + size : 16 + size]) == (masked_crc32c(data),)
            event, rest = Event.FromString(data), rest[16 + size :]
            result += [(seed, event.step, value.tag, value.simple_value) for value in event.summary.value]
    return sorted(result)


def in_wandb(directory):
    """The same of the offline transaction logs: a header, then LevelDB's log of blocks of 32 KiB."""
    from wandb.proto.wandb_internal_pb2 import Record  # pyright: ignore[reportMissingImports]

    result = []
    for file in directory.glob("wandb/offline-run-*/run-*.wandb"):
        data, at, record, seed, rows = file.read_bytes(), 7, b"", None, []
        while at < len(data):
            if (left := 32768 - at % 32768) < 7:
                at += left
                continue
            size, kind = struct.unpack("<HB", data[at + 4 : at + 7])
            record, at = record + data[at + 7 : at + 7 + size], at + 7 + size
            if kind in (1, 4):  # whole, or the last part
                parsed, record = Record.FromString(record), b""
                if parsed.HasField("run"):
                    (seed,) = (json.loads(item.value_json) for item in parsed.run.config.update if item.key == "seed")
                rows += [{"/".join(i.nested_key) or i.key: i.value_json for i in parsed.history.item}]
        values = [{name: json.loads(value) for name, value in row.items()} for row in rows if row]
        result += [(seed, of["_step"], name, of[name]) for of in values for name in of if not name.startswith("_")]
    return sorted(result)


def assert_same(found, expected):
    """TensorBoard's numbers are float32."""
    assert [point[:3] for point in found] == [point[:3] for point in expected]
    assert [np.float32(point[3]) for point in found] == [np.float32(point[3]) for point in expected]


@pytest.mark.slow
def test_event_files_hold_what_metrics_hold_once_also_of_a_run_that_goes_on_from_an_earlier_step(tmp_path, monkeypatch):
    stopped_at(6, made(tmp_path, *TWO, words=["tracker=tensorboard"]), monkeypatch)
    runs = made(tmp_path, *TWO, words=["tracker=tensorboard"])
    for one in runs:
        assert max(point[1] for point in in_tensorboard(one.directory.path)) == 6
        (one.checkpoints.folder / "6.npz").write_bytes(b"damaged")
    run(runs)
    for one, seeds in zip(runs, ({0, 1}, {5}), strict=True):
        expected = recorded(one.directory.path)
        assert {point[:2] for point in expected} == {(seed, step) for seed in seeds for step in (0, 2, 4, 6, 8)}
        assert {"loss/transformer", "train_loss/transformer", "gradient_descent/sensitivity_cosine"} <= {
            point[2] for point in expected
        }
        assert_same(in_tensorboard(one.directory.path), expected)


@pytest.mark.slow
def test_a_finished_run_gets_the_record_when_it_is_asked_for_and_a_repeated_one_leaves_no_older_one(tmp_path):
    (one,) = made(tmp_path)
    run([one])
    (asked,) = made(tmp_path, words=["tracker=tensorboard"])
    assert asked.place.path == one.directory.path
    finished(asked)
    assert_same(in_tensorboard(one.directory.path), recorded(one.directory.path))
    written = {path: path.stat().st_mtime_ns for path in one.directory.path.rglob("*")}
    finished(asked)
    assert {path: path.stat().st_mtime_ns for path in one.directory.path.rglob("*")} == written
    (again,) = made(tmp_path, words=["tracker=tensorboard", "run.force=true"])
    run([again])
    assert_same(in_tensorboard(one.directory.path), recorded(one.directory.path))
    (without,) = made(tmp_path, words=["run.force=true"])
    run([without])
    assert not (one.directory.path / "tensorboard").exists()


@pytest.mark.slow
def test_it_is_off_by_default_and_then_imports_nothing(tmp_path):
    script = (
        f"import sys; sys.argv = ['run.py', 'experiment=plain', *{TINY!r}]; sys.path.insert(0, {str(ROOT)!r})\n"
        "import run\nfrom tests.sketch import sketched\nwith sketched():\n    run.main()\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('tensorboardX', 'wandb')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    (directory,) = tmp_path.glob("runs/plain/*")
    assert not {path.name for path in directory.iterdir()} & {tracker.name for tracker in Tracker}


@pytest.mark.parametrize("kind", [kind for kind in Tracker if kind is not Tracker.none], ids=lambda kind: kind.name)
def test_a_missing_package_is_one_line(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    point = points.point(["experiment=plain", *TINY, f"run.dir={tmp_path}", f"tracker={kind.name}"])
    with pytest.raises(ConfigError, match=rf"^tracker={kind.name}: .* pip install -e '\.\[{kind.name}\]'$"):
        launch.launch(point)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_wandb_stays_offline_and_holds_what_metrics_hold(tmp_path):
    """Weights & Biases is large, so `make` does not install it."""
    pytest.importorskip("wandb")
    home = tmp_path / "home"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as proxy:  # whoever calls anybody calls here
        proxy.settimeout(0.1)
        address = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        others = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), address)
        others |= {"NO_PROXY": "", "no_proxy": ""}
        wishes = {"WANDB_MODE": "online", "WANDB_API_KEY": "0" * 40, "WANDB_ERROR_REPORTING": "true", "HOME": str(home)}
        words = ["-m", "experiment=plain", *TINY, "tracker=wandb", "seeds=2", "train.batch_size=4,8"]
        done = lab(*words, cwd=tmp_path, **others, **wishes)
        with pytest.raises(TimeoutError):
            proxy.accept()
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    points = [mark.parent for mark in tmp_path.glob("runs/plain/*/metrics.jsonl")]
    assert len(points) == 2
    for directory in points:
        assert len(list(directory.glob("wandb/offline-run-*"))) == 2
        assert in_wandb(directory) == recorded(directory)
    assert not list(home.rglob("*wandb*")), "nothing in the user's home"
