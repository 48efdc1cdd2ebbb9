"""This machine, as a process within control groups sees it."""

import pytest

from lab.runs import machine

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
