"""The answer to what shrinking, moving and prolonging the instructions of a prompt are worth."""

from analysis.report.sentences import away, change, joined, over_points, sentence
from analysis.report.values import claimed, number

SCORE = "nDCG@10"
OPERATIONS = {
    "shrunk_chosen": ("shrunk by the chosen alpha", "shrinking the instructions"),
    "inverse": ("behind the demonstrations", "moving them behind the demonstrations"),
    "prefix": ("trained prefix", "a trained prefix"),
}


def answer_of_run(summary: dict) -> str:
    """Return by how much each operation changes nDCG@10 of the plain decoder, on the same users."""
    plain = number(summary, "ndcg_10.plain")
    if plain is None:
        return ""
    clauses = []
    for name, (label, words) in OPERATIONS.items():
        paired = claimed(summary, f"{SCORE}, {label} - plain").get(f"{SCORE}, {label} - plain")
        value = number(summary, f"ndcg_10.{name}")
        if difference := paired or (value - plain if value else None):
            clauses.append(f"{words} {change(difference, SCORE)}")
    first = f"the plain decoder reaches {SCORE} = {plain.text()}"
    control = claimed(summary, f"{SCORE}, trained prefix - untrained prefix")
    second = joined(f"the trained prefix is {away(each, 'an untrained one')}" for each in control.values())
    return sentence("; ".join([first, *clauses]), second, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the plain decoder's nDCG@10."""
    return sentence(over_points(summary, "ndcg_10.plain", f"{SCORE} of the plain decoder"), summary=summary)
