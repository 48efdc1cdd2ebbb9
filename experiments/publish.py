"""The command that copies the tables behind published verdicts and writes their page (`analysis.report.publish`).

python -m experiments.publish docs/results [runs/NAME/HASH ...]
"""

import pathlib
import sys

import experiments
from analysis.report.publish import publish, write_verdicts
from lab.config import kinds
from lab.runs.directory import RunDirectory

if __name__ == "__main__":
    kinds.install(experiments.kinds(), experiments.files())
    folder = pathlib.Path(sys.argv[1])
    for run in sys.argv[2:]:
        publish(RunDirectory(pathlib.Path(run)), folder)
    write_verdicts(folder)
