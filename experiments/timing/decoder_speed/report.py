"""The answer to how long a decoder's training step takes, beside the same by hand and PyTorch's."""

from analysis.report.sentences import counted, joined, over_points, sentence, span
from analysis.report.values import claimed, number, setting

PROGRAMS = {"by_hand": "written by hand in JAX", "torch": "of PyTorch's Transformer"}
RATIO = "time of the lab's step / of "


def answer_of_run(summary: dict) -> str:
    """Return the time of the lab's step, and of the other programs."""
    lab = number(summary, "milliseconds_per_step.lab")
    if lab is None:
        return ""
    others = {label: number(summary, f"milliseconds_per_step.{name}") for name, label in PROGRAMS.items()}
    others_shown = joined(f"{value.text()} ms for that {label}" for label, value in others.items() if value)
    missing = "" if others[PROGRAMS["torch"]] else "PyTorch was not installed"
    first = f"a training step of the lab's decoder takes {lab.text()} ms" + (
        f", beside {others_shown}" if others_shown else ""
    )
    return sentence(first, missing, _rounds(summary), summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the time of the lab's step over that of the other programs, paired within rounds, over the sizes."""
    by_hand, torch = claimed(summary, RATIO, "by hand"), claimed(summary, RATIO, "PyTorch")
    ratios = {PROGRAMS["by_hand"]: by_hand, PROGRAMS["torch"]: torch}
    clauses = joined(f"{span([*each.values()])} times that {label}" for label, each in ratios.items() if each)
    first = (
        f"the time of the lab's training step is {clauses}, over {counted(len(by_hand or torch), 'size')}"
        if clauses
        else ""
    )
    times = over_points(summary, "milliseconds_per_step.lab", "the time of the lab's step in ms")
    missing = "" if torch else "PyTorch was not installed"
    findings = [each for each in (first, times) if each] or [""]
    rounds = _rounds(next(iter(summary["points"].values())))
    return sentence(*findings, missing, rounds, summary=summary)


def _rounds(summary: dict) -> str:
    return f"{counted(int(setting(summary, 'rounds')), 'round')} of measurements"
