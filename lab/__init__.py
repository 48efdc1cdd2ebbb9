"""The parts of experiments: attention, learners, settings, and the directories of runs. Nothing here trains, measures
or draws, and no experiment is known by name.

`lab.load` opens a finished run, and `lab.compare` sets learners side by side; everything else is imported from the
modules below.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike
    from typing import Any


def load(*words: "str | PathLike[str]") -> "Any":
    """Return a finished run or sweep, `lab.load("runs/rag_dot/a766db701a")`, or a kept model, `lab.load("rag_dot")`.

    It is `experiments.api.load`, which knows the kinds of experiments. No layer imports a higher one: the package's
    metadata (`[project.entry-points]` of pyproject.toml) says which function it is.

    Args:
        words: its directory, the name of a kept model, or the words that made it.

    Raises:
        UserError: there is no such run, it is not finished, or its settings mean something else today.
    """
    return _higher("load")(*words)


def compare(*arguments: "Any", **settings: "Any") -> "Any":
    """Train learners on a task, and let them and references answer the same episodes: `lab.compare("plain", {"mine":
    mine})`.

    It is `experiments.compare.compare`, where the arguments are explained.

    Raises:
        UserError: there is no such task, or two learners have one name.
    """
    return _higher("compare")(*arguments, **settings)


def _higher(name: str) -> "Any":
    from importlib.metadata import entry_points

    (entry,) = entry_points(group="lab", name=name)
    return entry.load()
