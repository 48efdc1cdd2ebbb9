"""Figure 5 of RAG-GD: the linear-projection retriever at 2 and 5 recurrent layers."""

import itertools
from collections.abc import Callable

from analysis.figures import by_documents
from analysis.figures.by_documents import difference, final_differences
from analysis.figures.claim import Claim, Verdict
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory

CAPTION, draw = by_documents.CAPTION, by_documents.draw
NEEDS_POINTS = True
BANDS = True


def grows(part: str) -> Callable[[RunDirectory], Verdict]:
    def judge(directory: RunDirectory) -> Verdict:
        differences = final_differences(directory, part)
        if len(differences) < 2:
            raise NotMeasured(f"fewer than two counts of documents of {part}")
        steps = [difference(many, few) for few, many in itertools.pairwise(differences.values())]
        measured = {f"{count:g} documents": value for count, (value, _) in differences.items()}
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
