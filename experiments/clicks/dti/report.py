"""The answer to what prompts of many targets cost: AUC on sliding windows, beside training on sliding windows."""

from analysis.report.sentences import change, counted, over_points, sentence
from analysis.report.values import claimed, number, setting


def answer_of_run(summary: dict) -> str:
    """Return the AUC on sliding windows, and how much prompts as in training change it."""
    auc, gap, targets = number(summary, "auc"), number(summary, "gap"), setting(summary, "model.targets")
    if auc is None:
        return ""
    prompts = f"prompts of {counted(int(targets), 'target')}"
    first = f"trained on {prompts}, the decoder has an AUC of {auc.text()} on sliding windows"
    second = f"answering prompts as in training instead {change(gap, 'its AUC')}" if gap and targets != "1" else ""
    return sentence(first, second, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return what the most targets of a prompt cost, without remedies and with them, or the best and worst points."""
    costs = [_cost(summary), _with_remedies(summary)]
    if not costs[0]:
        costs = [_beside_sliding(summary) or over_points(summary, "auc", "the AUC on sliding windows")]
    return sentence(*costs, summary=summary) if any(costs) else ""


def _cost(summary: dict) -> str:
    """Return the difference of AUC between the most targets and one, paired within each seed."""
    for name, difference in claimed(summary, "AUC with ", " targets - with one").items():
        targets = name.removeprefix("AUC with ").split(" ")[0]
        return f"training on prompts of {targets} targets instead of sliding windows {change(difference, 'the AUC')}"
    return ""


def _with_remedies(summary: dict) -> str:
    """Return the same relative to the sliding window, of the most targets with DTI's remedies."""
    shares = claimed(summary, "AUC with ", " of the sliding window - 1")
    if not shares:
        return ""
    share = [*shares.values()][-1]
    return f"with DTI's remedies its relative difference from that of sliding windows is {share.text()}"


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
