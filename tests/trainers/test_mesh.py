"""Many devices: eight forced ones, in a process of their own, since a process counts its devices once."""

import re

import pytest

from lab.config.base import Device
from lab.errors import ConfigError
from tests.command_line import TINY, forced_devices, lab_here, python
from tests.run_files import table
from trainers.mesh import mesh_of

COLLECTIVE = re.compile(r"all-reduce|all-gather|all-to-all|collective-permute|reduce-scatter")


def curves(path):
    (file,) = path.glob("*/*/curves.csv")
    rows = table(file.parent, "curves")
    return [{key: float(row[key] or 0) for key in row if "interpolated" not in key} for row in rows]


def test_one_device_is_a_mesh_of_one():
    assert dict(mesh_of(Device(), 3, 8).shape) == {"population": 1, "episodes": 1}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [(Device(population=2), "device.population=2: must divide the population, 3"), (Device(episodes=2), "1 devices")],
)
def test_what_does_not_fit_is_refused(wanted, expected):
    with pytest.raises(ConfigError, match=expected):
        mesh_of(wanted, 3, 8)


ON_EIGHT = """
import gc, sys
import experiments
from lab.config import kinds
from lab.config.base import Device
from lab.config.points import point
from tests.sketch import sketched
from trainers.launch import launch
from trainers.mesh import mesh_of
gc.freeze()
gc.set_threshold(50_000, 20, 20)
kinds.install(experiments.kinds(), experiments.files())
for experiment, two in (("tabular", True), ("rag_dot", False)):
    print("MESH", *mesh_of(Device(population=2, episodes=1) if two else Device(), 4, 8).shape.values())
    words = ["device.population=2", "device.episodes=1"] if two else []
    with sketched():
        launch(point([f"experiment={experiment}", *sys.argv[1:], *words, f"run.dir={experiment}_on_several"]))
"""


@pytest.mark.slow
def test_the_same_curves_on_one_two_and_eight_devices(tmp_path):
    """To 1e-5. Of eight devices in another process, a table takes two, and drawn tasks take all, split four by
    two: a population of four, and each member's batch in halves. The interpolation is left out: it divides by a trace
    that is close to zero before there is any training."""
    words = [*TINY, "seeds=4"]
    done = python("-c", ON_EIGHT, *words, cwd=tmp_path, **forced_devices(8))
    assert "devices: 8 x" in done.stdout
    assert re.findall(r"^MESH (.*)", done.stdout, flags=re.MULTILINE) == ["2 1", "4 2"]
    for experiment in ("rag_dot", "tabular"):
        alone = lab_here(f"experiment={experiment}", *words, f"run.dir={experiment}_on_1", cwd=tmp_path)
        assert "devices: 1 x" in alone.stdout
        one = curves(tmp_path / f"{experiment}_on_1")
        for row, expected in zip(curves(tmp_path / f"{experiment}_on_several"), one, strict=True):
            assert row == pytest.approx(expected, rel=1e-5, abs=1e-5)


SCRIPT = """
from tests.trainers.sessions import begun, settings_of
words = ["experiment=plain", "train.batch_size=16", "baselines.line_search_episodes=100", "seeds=4"]
for device in (["device.population=4", "device.episodes=1"], ["device.population=4", "device.episodes=2"]):
    session = begun(settings_of(*words, *device))
    session.advance(3)
    print("BEGIN", dict(session.mesh.shape))
    print(session.programs.compiled[next(key for key in session.programs.compiled if key[0] == ("train", 3))].as_text())
"""


@pytest.mark.slow
def test_a_split_population_needs_no_communication():
    """None in the compiled program; a split batch needs its gradients summed."""
    done = python("-c", SCRIPT, **forced_devices(8))
    _, population, batch = done.stdout.split("BEGIN")
    assert "'population': 4, 'episodes': 1" in population
    assert not COLLECTIVE.search(population)
    assert "'population': 4, 'episodes': 2" in batch
    assert COLLECTIVE.search(batch)
