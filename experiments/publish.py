"""The command that copies the tables behind published verdicts and writes their page (`analysis.report.publish`).

python -m experiments.publish runs/paper_full/HASH docs/results
"""

import pathlib
import sys

import experiments
from analysis.report.publish import publish
from lab.config import kinds
from lab.runs.directory import RunDirectory

if __name__ == "__main__":
    kinds.install(experiments.kinds(), experiments.files())
    publish(RunDirectory(pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2]))
