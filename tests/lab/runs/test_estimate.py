"""What is said before a run: its time by what finished runs show, and its memory. No JAX."""

import json
import pathlib
import sys

import pytest

from lab.config.experiments import costs, done, experiments
from lab.config.points import Point, point
from lab.config.sizes import sizes_of
from lab.errors import ConfigError
from lab.runs import estimate, machine
from lab.runs.directory import RunDirectory

WORDS = ["experiment=shifted_classes"]


def finished(root: Point, seconds: float, operations: float = 1e12, **others) -> None:
    """Write what a finished run leaves, as far as it is read here."""
    directory = RunDirectory.of(root.settings)
    directory.path.mkdir(parents=True)
    summary = {"kind": "decoder", "command": "python run.py experiment=shifted_classes", "seconds": {"total": seconds}}
    estimated = {"estimated": {"operations": operations, "seconds": 10.0}}
    (directory.path / "summary.json").write_text(json.dumps(summary | estimated | others))
    (directory.path / "DONE").write_text("")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "cores", lambda: 2)
    return tmp_path


def test_a_long_run_is_announced(folder, capsys):
    root = estimate.prepared(WORDS)
    sizes = sizes_of(root.settings)
    assert sizes is not None
    minutes = (sizes.seconds + sizes.work / 1e10) / 60
    assert (
        capsys.readouterr().out == f"about {minutes:.0f} minutes here, {estimate.size(estimate.BASE + sizes.bytes)}\n"
    )
    assert not [*folder.iterdir()]


def test_a_short_run_is_not(folder, capsys):
    estimate.prepared(["experiment=dual_form", "cases=2"])
    assert not capsys.readouterr().out


def test_what_is_done_takes_no_time(folder, capsys):
    finished(point(WORDS), 300)
    estimate.prepared(WORDS)
    assert not capsys.readouterr().out
    estimate.prepared([*WORDS, "run.force=true"])
    assert "minutes here" in capsys.readouterr().out


def test_finished_runs_show_the_rate(folder):
    settings = point(WORDS).settings
    assert estimate.rate(settings) == 2 * machine.RATE
    finished(point([*WORDS, "seed=1"]), 510.0)  # 1e12 operations in 500 s beyond the fixed 10
    assert estimate.rate(settings) == pytest.approx(2e9)
    finished(point([*WORDS, "seed=2"]), 260.0, together={"runs": 2, "models": 2})  # the seconds of both
    finished(point([*WORDS, "seed=3"]), 260.0, together={"runs": 2, "models": 2})
    assert estimate.rate(settings) == pytest.approx(8e9)
    for seed in (4, 5, 6, 7):
        finished(point([*WORDS, f"seed={seed}"]), 11.0)  # too short to say anything
    assert estimate.rate(settings) == pytest.approx(8e9)


def test_a_rate_that_cannot_be_is_bounded(folder):
    finished(point([*WORDS, "seed=1"]), 20.0, operations=1e30)
    assert estimate.rate(point(WORDS).settings) == 2 * machine.RATE * estimate.FACTOR


DAMAGED = '{"kind": "decoder", "estimated": {"operations": %s, "seconds": 1}, "seconds": {"total": 90.0}}'
TEXTS = ["", "[]", "{}", '{"kind": "decoder", "estimated": 3, "seconds": {"total": 9}}']
TEXTS += [DAMAGED % number for number in ("NaN", "1e999", f"1{400 * '0'}", '"many"')]


@pytest.mark.parametrize("text", TEXTS)
def test_a_summary_without_it_is_passed_over(text, folder):
    root = point(WORDS)
    finished(root, 300)
    (RunDirectory.of(root.settings).path / "summary.json").write_text(text)
    assert estimate.rate(root.settings) == 2 * machine.RATE


def test_runs_that_it_starts_from_are_counted(folder, capsys):
    words = ["experiment=prompt_shifts"]
    estimate.prepared(words)
    assert "minutes" in capsys.readouterr().out
    with pytest.raises(ConfigError, match=r"model\.width=900000"):
        estimate.prepared([*words, "model.words=['grid=[]','figure=functions','model.width=900000']"])


def test_an_accelerators_memory_is_left_to_jax(monkeypatch):
    settings = point(WORDS).settings
    monkeypatch.delenv("JAX_PLATFORMS", raising=False)
    monkeypatch.setattr(machine, "PLUGINS", ("json",))  # a module that is there
    assert machine.bounds(settings.device).memory == float("inf")
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    assert machine.bounds(settings.device).memory == machine.SHARE * machine.memory_bytes()


def test_the_list_shows_what_is_done(folder):
    assert costs()["plain"] == "12 s"
    assert costs().keys() == experiments().keys()
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
