"""What a configuration that was written to a file says other than the defaults do."""

from omegaconf import OmegaConf

from lab.config.comparison import DATA, TASKS, Config
from lab.config.identity import HOW


def differences(written: dict) -> dict[str, str]:
    """{key: value} of what the results depend on and is not as the defaults have it, in the configuration's order."""
    default = _plain(Config(task=TASKS[written["task"]["name"]]()))
    if written["data"] is not None:
        default["data"] = _plain(DATA[written["data"]["name"]]())
    mine, theirs = _flat(written), _flat(default)
    chosen = {"task": written["task"]["name"]}
    if written["data"] is not None:
        chosen["data"] = written["data"]["name"]
    return chosen | {
        key: _shown(value)
        for key, value in mine.items()
        if (key == "device.precision" or key.split(".")[0] not in (*HOW, "name", "figure")) and value != theirs.get(key)
    }


def _plain(settings) -> dict:
    return OmegaConf.to_container(OmegaConf.structured(settings), enum_to_str=True)


def _flat(node: dict, path: str = "") -> dict[str, object]:
    found = {}
    for key, value in node.items():
        found |= _flat(value, f"{path}{key}.") if isinstance(value, dict) else {f"{path}{key}": value}
    return found


def _shown(value: object) -> str:
    return "[" + ", ".join(map(str, value)) + "]" if isinstance(value, list) else str(value)
