"""[RAG-GD] figure 5: the linear-projection retriever at 2 and 5 recurrent layers."""

import itertools
from collections.abc import Callable

from analysis.claims.claim import Claim, Verdict
from analysis.claims.depth import ends
from lab.run_directory import RunDirectory


def grows(part: str) -> Callable[[RunDirectory], Verdict]:
    def judge(directory: RunDirectory) -> Verdict:
        found = {count: last for count, (_, last) in ends(directory, "gradient_descent.prediction_l2", part).items()}
        in_order = list(found.values())
        measured = {f"{count:g} documents": value for count, value in found.items()}
        return measured, all(one < two for one, two in itertools.pairwise(in_order))

    return judge


CLAIMS = tuple(
    Claim(
        statement=f"At {layers} layers the divergence from gradient descent grows with the documents.",
        source="RAG-GD, figure 5",
        criterion="at the end, the prediction difference is larger for every larger count",
        judge=grows(part),
    )
    for part, layers in (("layers_2", 2), ("layers_5", 5))
)
