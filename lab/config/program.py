"""The name of this program on a command line: `python run.py` in a clone, and `icl-lab` where that was called, or where
the lab is installed without its clone."""

import pathlib
import sys

from lab.config.imported import ROOT

INSTALLED = "icl-lab"  # `[project.scripts]` of pyproject.toml
PROGRAM = (
    "python run.py"
    if pathlib.Path(sys.argv[0]).stem != INSTALLED and (ROOT / "pyproject.toml").is_file()
    else INSTALLED
)


def without_program(parts: list[str]) -> list[str]:
    """Return a command line's parts without the name of the program."""
    return parts[1:] if parts[:1] == [INSTALLED] else parts[2:]
