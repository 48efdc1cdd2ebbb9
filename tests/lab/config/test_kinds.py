"""What Hydra is told of kinds and schemas."""

import dataclasses

import pytest
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

from lab.config.base import Base
from lab.config.compose import compose, register
from lab.config.kinds import KINDS, SCHEMAS, Kind, tell_hydra


@dataclasses.dataclass
class Mine(Base):
    height: float = 1.0


@dataclasses.dataclass
class Other(Base):
    depth: float = 2.0


@pytest.mark.usefixtures("tables")
def test_another_kind_of_a_name_takes_its_place_and_what_is_told_stays():
    register()
    told = {name: ConfigStore.instance().repo["schema"][f"{name}.yaml"] for name in KINDS}
    for kind, key in ((Mine, "height"), (Other, "depth"), (Mine, "height")):
        KINDS["mine"] = Kind("mine", kind, {}.__getitem__)
        tell_hydra()
        assert hasattr(compose(["kind=mine", "name=mine"]), key)
    assert all(ConfigStore.instance().repo["schema"][f"{name}.yaml"] is node for name, node in told.items())


def test_composing_leaves_what_hydra_was_told_as_it_was():
    """Hydra does not copy its store here; it copies what it loads from it."""
    register()
    store = ConfigStore.instance().repo

    def stored():
        groups = ("schema", "kind", *SCHEMAS)
        return {(group, name): OmegaConf.to_yaml(node.node) for group in groups for name, node in store[group].items()}

    before = stored()
    assert compose(["experiment=tabular", "train.steps=3", "data.normalization=rank"]).train.steps == 3
    assert compose(["experiment=plain", "task.scale=3", "+parts.a=['seed=1']"]).task.scale == 3
    assert stored() == before
