"""What is known before a run, without JAX: its time, by what finished runs show, the devices and the memory."""

import json
import pathlib
import sys

import pytest

from lab.config.experiments import done
from lab.config.identity import shown_differences
from lab.config.points import Point, inputs, point
from lab.runs import estimate, machine
from lab.runs.directory import RunDirectory

WORDS = ["experiment=shifted_classes"]


def finished(root: Point, seconds: float, **others) -> None:
    """Write what a finished run leaves, as far as it is read here."""
    directory = RunDirectory.of(root.settings)
    directory.path.mkdir(parents=True)
    summary = {"kind": "decoder", "command": "python run.py experiment=shifted_classes", "seconds": {"total": seconds}}
    settings = {"settings": shown_differences(root.settings)}
    (directory.path / "summary.json").write_text(json.dumps(summary | settings | others))
    (directory.path / "DONE").write_text("")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_runs_take_as_long_as_finished_ones_of_the_same_shapes(folder, capsys):
    estimate.prepared(WORDS)
    assert not capsys.readouterr().out, "nobody knows"
    finished(point([*WORDS, "seed=3", "seeds=2", "train.learning_rate=1e-3"]), 600.0)
    finished(point([*WORDS, "model.width=16"]), 1.0)
    assert estimate.expected(point([*WORDS, "seed=7"])) == pytest.approx(300)
    assert estimate.expected(point([*WORDS, "seeds=6"])) == pytest.approx(1800)
    assert estimate.expected(point([*WORDS, "model.width=48"])) is None
    estimate.prepared(WORDS)
    assert capsys.readouterr().out == "about 5 minutes here, as finished runs took\n"
    estimate.prepared([*WORDS, "model.width=16", "seed=1"])
    assert not capsys.readouterr().out, "it is short"


def test_what_is_done_takes_no_time_and_runs_that_trained_together_share_theirs(folder):
    finished(point(WORDS), 600.0, together={"runs": 2, "models": 6})
    assert estimate.expected(point(WORDS)) == 0
    assert estimate.expected(point([*WORDS, "run.force=true"])) == pytest.approx(300)


def test_runs_that_it_starts_from_are_counted(folder):
    root = point(["experiment=prompt_shifts"])
    (maker,) = inputs(root)
    finished(root, 40.0, kind="prompt_shifts")
    forced = point(["experiment=prompt_shifts", "run.force=true"])
    assert estimate.expected(forced) is None
    finished(maker, 200.0, kind="functions")
    assert estimate.expected(forced) == pytest.approx(40)
    assert estimate.expected(point(["experiment=prompt_shifts", "seed=9"])) == pytest.approx(240)


DAMAGED = '{"kind": "decoder", "settings": {}, "seconds": {"total": %s}}'
TEXTS = ["", "[]", "{}", '{"kind": "decoder", "settings": {}, "seconds": 3}']
TEXTS += [DAMAGED % number for number in ("NaN", "1e999", f"1{400 * '0'}", '"many"')]


@pytest.mark.parametrize("text", TEXTS)
def test_a_summary_without_it_is_passed_over(text, folder):
    root = point([*WORDS, "seed=1"])
    finished(root, 300)
    (RunDirectory.of(root.settings).path / "summary.json").write_text(text)
    assert estimate.expected(point(WORDS)) is None


def test_the_list_shows_what_is_done(folder):
    runs = folder / "runs"
    assert done("shifted_classes", runs) == ""
    finished(point([*WORDS, "seed=1"]), 300, command="python run.py experiment=shifted_classes seed=1")
    assert done("shifted_classes", runs) == "1 other run done"
    finished(point(WORDS), 300)
    assert done("shifted_classes", runs) == "done"


@pytest.mark.parametrize(
    ("variable", "value", "known"),
    [
        ("JAX_PLATFORMS", "cpu", True),
        ("JAX_PLATFORMS", "cuda", False),
        ("JAX_NUM_CPU_DEVICES", "2", False),
        ("XLA_FLAGS", "--xla_force_host_platform_device_count=2", False),
        ("TPU_LIBRARY_PATH", "libtpu.so", False),
    ],
)
def test_devices_are_known_without_jax_where_nothing_asks_for_others(variable, value, known, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("importlib.metadata.distributions", list)
    monkeypatch.setattr("os.environ", {variable: value})
    assert not machine.one_processor(), "JAX is imported here, and is asked"
    monkeypatch.delitem(sys.modules, "jax")
    assert machine.one_processor() == known
    for plugins in ("jax_plugins", "libtpu"):
        monkeypatch.setattr("importlib.util.find_spec", lambda name, there=plugins: name if name == there else None)
        assert not machine.one_processor()


NO_LIMIT = {"memory.max": "max", "memory.limit_in_bytes": str(2**63 - 4096)}


@pytest.mark.parametrize(
    ("own", "folder", "name", "limited"),
    [
        (own, folder, name, limited)
        for own, folder, name in (
            ("0::/jobs/one\n", "", "memory.max"),
            ("9:name=systemd:/\n4:cpu,memory:/jobs/one\n0::/\n", "memory", "memory.limit_in_bytes"),
        )
        for limited in ("", "jobs", "jobs/one")
    ]
    + [("0::/docker/123\n", "", "memory.max", "")],  # named as outside of the container: there is the root alone
)
def test_memory_is_the_least_of_the_groups_around_this_process(own, folder, name, limited, tmp_path, monkeypatch):
    """Not the limit of another group."""
    monkeypatch.setattr(machine, "GROUPS", tmp_path)
    monkeypatch.setattr(machine, "OWN_GROUPS", tmp_path / "own")
    machine.OWN_GROUPS.write_text(own)
    for group in ("", "jobs", "jobs/one", "jobs/two"):
        (tmp_path / folder / group).mkdir(parents=True, exist_ok=True)
        limit = {limited: "5000", "jobs/two": "3000"}.get(group, NO_LIMIT[name])
        (tmp_path / folder / group / name).write_text(limit + "\n")
    assert machine.memory_bytes.__wrapped__() == 5000
