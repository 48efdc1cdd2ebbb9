"""The results of in-context learning of a language model against fine-tuning."""

from analysis.report.sentences import joined
from analysis.report.transfer import answer_of_points as answer_of_points
from analysis.report.transfer import answer_of_transfer
from analysis.report.values import number

SOURCES = {"gpt_1_3b": "GPT 1.3B", "gpt_2_7b": "GPT 2.7B"}


def answer_of_run(summary: dict) -> str:
    """Return the accuracies, Rec2FTP beside what in-context learning gets right anyway, and what the source printed."""
    lift = "lift over in-context accuracy per set"
    return answer_of_transfer(summary, "the language model", "test rows", lift, _printed(summary))


def _printed(summary: dict) -> str:
    """Return what the source printed of this data set; "" where it has none."""
    parts = []
    for name, label in SOURCES.items():
        values = [
            number(summary, f"printed.{name}.{each}") for each in ("zero_shot", "fine_tuned", "in_context", "rec2ftp")
        ]
        texts = [value.text() for value in values if value is not None]
        if len(texts) == len(values):
            parts.append(f"{texts[0]}, {texts[1]} and {texts[2]} with a Rec2FTP of {texts[3]} for {label}")
    return f"Dai et al. print {joined(parts)}" if parts else ""
