"""The command that makes docs/findings and the table of README.md from the kept tables (`analysis.findings.write`).

python -m experiments.findings docs
python -m experiments.findings docs texts     pictures stay as they are
"""

import pathlib
import sys

import experiments
from analysis.findings.write import write, write_texts
from lab.config import kinds

if __name__ == "__main__":
    kinds.install(experiments.kinds(), experiments.files())
    (write_texts if sys.argv[2:] == ["texts"] else write)(pathlib.Path(sys.argv[1]))
