"""The answer to how much longer a training step takes with more documents, and with either retriever."""

from analysis.report.sentences import counted, joined, over_points, sentence, span
from analysis.report.values import claimed, number, setting

RETRIEVERS = {"rag_linear": "a linear projection", "rag_dot": "a dot product"}
NAME = "microseconds.step"


def answer_of_run(summary: dict) -> str:
    """Return the time of a step with the fewest and the most documents, and the ratios of both, paired in rounds."""
    counts = sorted({int(name.split(".")[3]) for name in summary["numbers"] if name.startswith(f"{NAME}.")})
    clauses = []
    for retriever, label in RETRIEVERS.items():
        times = {count: number(summary, f"{NAME}.{retriever}.{count}") for count in counts}
        by_count = {count: value for count, value in times.items() if value is not None}
        if not by_count:
            continue
        low, high = min(by_count), max(by_count)
        words = f"{by_count[low].text()} to {by_count[high].text()} microseconds with {label}"
        if ratio := [*claimed(summary, f"{retriever}: time with ").values()]:
            words += f" ({ratio[0].text()} times as long)"
        clauses.append(words)
    if not clauses:
        return ""
    first = f"from {counts[0]} to {counted(counts[-1], 'document')} a training step takes {joined(clauses)}"
    ratios = [*claimed(summary, "documents: time of rag_linear / of rag_dot").values()]
    second = f"with the projection it takes {span(ratios)} times as long as with the dot product" if ratios else ""
    answers = [*claimed(summary, "documents: time of answers of rag_linear / of rag_dot").values()]
    retrieved = [*claimed(summary, "documents: time of answers after retrieval of rag_linear / of rag_dot").values()]
    third = f"answers to given episodes take {span(answers)} times as long" if answers else ""
    if third and retrieved:
        third += f", and {span(retrieved)} times where the dot product's documents are in the weights"
    return sentence(first, second, third, _rounds(summary), summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range over the points of the time of a step, with the retriever and documents that come first."""
    names = [name for point in summary["points"].values() for name in point["numbers"] if name.startswith(f"{NAME}.")]
    if not names:
        return ""
    *_, retriever, count = names[-1].split(".")
    noun = f"microseconds per step with {RETRIEVERS[retriever]} and {counted(int(count), 'document')}"
    return sentence(
        over_points(summary, names[-1], noun), _rounds(next(iter(summary["points"].values()))), summary=summary
    )


def _rounds(summary: dict) -> str:
    return f"medians of {counted(int(setting(summary, 'rounds')), 'round')}"
