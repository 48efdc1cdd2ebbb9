"""The command that compares the published verdicts with an earlier revision: a change of code may turn none.

python -m experiments.verdicts REVISION

Compared are verdict, values and standard errors of each claim; the names of its numbers may have changed.
"""

import csv
import pathlib
import subprocess
import sys
from collections.abc import Iterable

TABLE = "docs/results/claims.csv"


def judged(lines: Iterable[str]) -> dict[tuple[str, str], list[tuple]]:
    """Return {(figure, claim): [(verdict, value, standard error), ...]}, sorted, from the lines of the table."""
    claims: dict[tuple[str, str], list[tuple]] = {}
    for row in csv.DictReader(lines):
        claims.setdefault((row["figure"], row["statement"]), []).append((row["verdict"], row["value"], row["stderr"]))
    return {claim: sorted(numbers) for claim, numbers in claims.items()}


def main(revision: str) -> None:
    command = ["git", "show", f"{revision}:{TABLE}"]
    earlier = judged(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines())
    now = judged(pathlib.Path(TABLE).read_text(encoding="utf-8").splitlines())
    differing = [claim for claim in earlier.keys() | now.keys() if earlier.get(claim) != now.get(claim)]
    for figure, claim in sorted(differing):
        print(f"{figure}: {claim}")
    print(f"{len(earlier)} claims before, {len(now)} now, {len(differing)} with another verdict, value or error")
    sys.exit(bool(differing))


if __name__ == "__main__":
    main(sys.argv[1])
