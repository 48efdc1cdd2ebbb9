"""The answer to which item a user takes next: how well each recommender ranks it."""

from analysis.report.sentences import away, joined, over_points, sentence
from analysis.report.values import Measured, claimed, number

SCORE = "nDCG@10"
NAMES = {  # recommender: its name in a sentence
    "sasrec": "the decoder",
    "gru": "a recurrent network",
    "descent": "gradient descent in context",
    "low_rank": "the model from which it starts",
    "markov": "a Markov chain",
    "popularity": "popularity",
    "truth": "the true utilities",
    "three_paths": "searched demonstrations",
    "zero_shot": "no demonstrations",
}


def answer_of_run(summary: dict) -> str:
    """Return how well the decoder ranks the next item, beside a Markov chain, popularity and the true utilities."""
    if not (split := _split(summary["numbers"])):
        return ""
    scores = {name: score for name in NAMES if (score := number(summary, f"ndcg_10.{name}.{split}"))}
    if "sasrec" not in scores:
        return ""
    first = (
        f"among sampled candidates the decoder ranks the item that a user takes next at {SCORE} = "
        f"{scores['sasrec'].text()}"
    )
    compared = joined(
        away(_difference(summary, scores, "sasrec", other, split), NAMES[other])
        for other in ("markov", "popularity", "truth")
        if other in scores
    )
    descent = f"gradient descent in context reaches {scores['descent'].text()}" if "descent" in scores else ""
    if descent and "low_rank" in scores:
        descent += f", {away(_difference(summary, scores, 'descent', 'low_rank', split), NAMES['low_rank'])}"
    searched = (
        f"on searched demonstrations it reaches {scores['three_paths'].text()}" if "three_paths" in scores else ""
    )
    if searched and "zero_shot" in scores:
        searched += f", {away(_difference(summary, scores, 'three_paths', 'zero_shot', split), 'that without any')}"
    together = f"{first}, {compared}" if compared else first
    return sentence(together, descent, searched, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range of the decoder's nDCG@10 over the points."""
    split = next((split for point in summary["points"].values() if (split := _split(point["numbers"]))), "")
    return sentence(over_points(summary, f"ndcg_10.sasrec.{split}", f"{SCORE} of the decoder"), summary=summary)


def _split(numbers: dict) -> str:
    """Return the first way in which the log was split that the decoder was measured with; "" without one."""
    names = [name for name in numbers if name.startswith("ndcg_10.sasrec.")]
    return names[0].split(".")[2] if names else ""


def _difference(summary: dict, scores: dict[str, Measured], one: str, other: str, split: str) -> Measured:
    """Return nDCG@10 of the one minus that of the other: paired over users where a claim has it."""
    where = f"{split.replace('_', ' ')}, sampled"
    for first, second, sign in ((one, other, 1.0), (other, one, -1.0)):
        for paired in claimed(summary, f"{SCORE}, {first} - {second}, {where}").values():
            return paired if sign > 0 else paired.negative
    return scores[one] - scores[other]
