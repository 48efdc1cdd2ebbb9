"""The command that copies the tables behind published verdicts and writes their page (`analysis.report.publish`).

python -m experiments.publish docs/results [runs/NAME/HASH ...]
"""

import pathlib
import sys

import experiments
from analysis.report.publish import publish, write_verdicts
from lab.config import kinds
from lab.config.compose import read
from lab.errors import UserError
from lab.runs.directory import RunDirectory


def check_whole(run: RunDirectory) -> None:
    """Refuse a point of a sweep that has a figure of its own: its table would be kept as that of another figure.

    Raises:
        UserError: it is such a point.
    """
    settings = run.read_config()
    file = experiments.files().get(settings["name"])
    if file is not None and read(file)[1].get("figure") and not settings["figure"]:
        raise UserError(f"{run.path}: a point of the sweep {settings['name']}; give the sweep's directory")


if __name__ == "__main__":
    kinds.install(experiments.kinds(), experiments.files())
    folder = pathlib.Path(sys.argv[1])
    runs = [RunDirectory(pathlib.Path(path)) for path in sys.argv[2:]]
    try:
        for run in runs:
            check_whole(run)
    except UserError as error:
        sys.exit(f"error: {error}")
    for run in runs:
        publish(run, folder)
    write_verdicts(folder)
