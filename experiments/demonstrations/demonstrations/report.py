"""The answer to whether search by Effect_D finds good demonstrations, collapses, and gains from perturbation."""

from analysis.report.sentences import away, change, over_points, sentence
from analysis.report.values import Measured, claimed, number

SCORE = "nDCG@10"


def answer_of_run(summary: dict) -> str:
    """Return nDCG@10 of the search beside random sets with the most validation queries, its collapse, and the gains
    from perturbation."""
    if not (count := _most_queries(summary["numbers"])):
        return ""
    searched = number(summary, f"ndcg_10.one.{count}")
    if searched is None:
        return ""
    first = f"with {count} validation queries the search by Effect_D reaches {SCORE} = {searched.text()}"
    if (random := _random(summary, count)) is not None:
        first += f", {away(searched - random, 'random demonstrations')}"
    parts = [first]
    if similar := _claimed(summary, f"similarity in the last round, V = {count}"):
        parts.append(
            f"in its last round a set's similarity with the one before is {similar.text()} (collapsed above .6)"
        )
    if gain := _claimed(summary, f"{SCORE}, three path - three, V = {count}"):
        words = f"perturbation by another path {change(gain, SCORE)}"
        if equal := _claimed(summary, f"{SCORE}, three path - long more, V = {count}"):
            words += f", and is {away(equal, 'a search of equal prompt size and evaluations')}"
        parts.append(words)
    return sentence(*parts, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of nDCG@10 of the search with the most validation queries."""
    counts = [count for point in summary["points"].values() if (count := _most_queries(point["numbers"]))]
    if not counts:
        return ""
    count = max(counts, key=int)
    noun = f"{SCORE} of the search with {count} validation queries"
    return sentence(over_points(summary, f"ndcg_10.one.{count}", noun), summary=summary)


def _most_queries(numbers: dict) -> str:
    """Return the largest number of validation queries of the search; "" without any."""
    counts = [name.split(".")[2] for name in numbers if name.startswith("ndcg_10.one.")]
    return max((count for count in counts if count.isdigit()), key=int, default="")


def _random(summary: dict, count: str) -> Measured | None:
    """Return nDCG@10 of the fewest random demonstrations, as many as the search shows."""
    sizes = [
        name.split(".")[1].removeprefix("random_") for name in summary["numbers"] if name.startswith("ndcg_10.random_")
    ]
    fewest = min((size for size in sizes if size.isdigit()), key=int, default="")
    return number(summary, f"ndcg_10.random_{fewest}.{count}") if fewest else None


def _claimed(summary: dict, name: str) -> Measured | None:
    return claimed(summary, name).get(name)
