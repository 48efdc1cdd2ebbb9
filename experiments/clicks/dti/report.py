"""The answer of a sweep to what prompts of many targets cost: AUC on sliding windows, beside training on these."""

from analysis.report.sentences import change, over_points, sentence
from analysis.report.values import claimed, setting
from experiments.clicks.dti.results import LABELS, SLIDING


def answer_of_points(summary: dict) -> str:
    """Return what the most targets of a prompt cost, without remedies and with them, or the best and worst points."""
    clauses = [_cost(summary), _with_remedies(summary)]
    if not clauses[0]:
        clauses = [_beside_sliding(summary) or over_points(summary, "auc", "the AUC on sliding windows")]
    return sentence(*clauses, summary=summary) if any(clauses) else ""


def _cost(summary: dict) -> str:
    """Return the difference of AUC between the most targets and one, paired within each seed."""
    for name, difference in claimed(summary, "AUC (", ", targets ", " - targets 1").items():
        targets = name.split(", targets ")[1].split(" ")[0]
        return f"training on prompts of {targets} targets instead of sliding windows {change(difference, 'the AUC')}"
    return ""


def _with_remedies(summary: dict) -> str:
    """Return the same relative to the sliding window, of the most targets with DTI's remedies."""
    shares = [*claimed(summary, f"AUC ({LABELS['dti']} / {LABELS[SLIDING]}) - 1").values()]
    return (
        f"with DTI's remedies its relative difference from that of sliding windows is {shares[-1].text()}"
        if shares
        else ""
    )


def _beside_sliding(summary: dict) -> str:
    """Return the AUC of points that were trained on sliding windows, and the range of all others."""
    points = summary["points"].items()
    windows = {name: point for name, point in points if setting(point, "model.targets") == "1"}
    others = {name: point for name, point in points if name not in windows}
    if not windows or not others:
        return ""
    ranges = [
        over_points({"points": group}, "auc", f"the AUC on sliding windows, {how},")
        for group, how in ((windows, "trained on these"), (others, "trained on prompts of many targets"))
    ]
    return "; ".join(each for each in ranges if each)
