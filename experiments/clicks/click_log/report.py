"""The answer to how well a decoder predicts the clicks of a log."""

from analysis.report.sentences import away, change, over_points, sentence
from analysis.report.values import number, setting


def answer_of_run(summary: dict) -> str:
    """Return the AUC on sliding windows beside a logistic regression's, and what prompts as in training change."""
    sliding, logistic, gap = (number(summary, f"{name}.auc") for name in ("sliding", "logistic", "gap"))
    if sliding is None:
        return ""
    what = "predicts the clicks of the test with an AUC of"
    first = f"on sliding windows the decoder {what} {sliding.text()}"
    if logistic is not None:
        first += f", {away(sliding - logistic, 'a logistic regression')}"
    if logistic is not None and (difference := sliding - logistic).mean < 0 and not difference.is_noise:
        decoder = f"the decoder on sliding windows is {away(difference, 'it')}"
        first = f"a logistic regression {what} {logistic.text()}; {decoder}"
    targets = setting(summary, "model.targets")
    second = f"answering {targets} targets in a prompt, as in training, {change(gap, 'the AUC')}" if gap else ""
    return sentence(first, second, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range of the AUC on sliding windows over the points."""
    return sentence(over_points(summary, "sliding.auc", "the AUC on sliding windows"), summary=summary)
