"""[RAG-GD] figure 5: the linear-projection retriever at 2 and 5 recurrent layers."""

import itertools
from collections.abc import Callable

from analysis.claims.claim import Claim, Verdict
from analysis.claims.depth import at_the_end, difference
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory


def grows(part: str) -> Callable[[RunDirectory], Verdict]:
    def judge(directory: RunDirectory) -> Verdict:
        found = at_the_end(directory, part)
        if len(found) < 2:
            raise NotMeasured(part)
        steps = [difference(many, few) for few, many in itertools.pairwise(found.values())]
        measured = {f"{count:g} documents": value for count, (value, _) in found.items()}
        return measured, all(more > 2 * error for more, error in steps)

    return judge


CLAIMS = tuple(
    Claim(
        statement=f"At {layers} layers the divergence from gradient descent grows with the documents.",
        source="RAG-GD, figure 5",
        criterion="at the end, each count's prediction difference is above the last's by more than two standard errors",
        judge=grows(part),
    )
    for part, layers in (("layers_2", 2), ("layers_5", 5))
)
