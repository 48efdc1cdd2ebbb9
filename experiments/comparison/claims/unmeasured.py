"""Claims of RAG-GD for which the lab has no run. They are shown without a verdict but with the reason."""

from collections.abc import Sequence

from analysis.figures.cited import Cited
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory


def unmeasured(statement: str, source: Cited, would_take: str, why: str) -> Claim:
    """Return a claim that no table can judge.

    Args:
        would_take: what would be measured.
        why: what the lab lacks.
    """

    def judge(directory: RunDirectory) -> Sequence[Condition]:
        raise NotMeasured(why)

    return Claim(statement, source, f"none; it would take {would_take}", judge, controls=())
