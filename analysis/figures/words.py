"""The names of learners and numbers as people read them."""

import re
from collections.abc import Iterable

from analysis.metrics.columns import Metric
from analysis.tables.columns import Statistic
from lab.learners.roles import ROLES

METRICS: dict[str, tuple[str, str, str]] = {
    Metric.COSINE: ("cosine of sensitivities", "#D55E00", "-"),
    Metric.SENSITIVITY_L2: ("sensitivity difference (L2)", "#CC79A7", "--"),
    Metric.PREDICTION_L2: ("prediction difference (L2)", "#56B4E9", "-."),
}
WORD = re.compile(r"(?:=-?\d+\.\d+|[^.])+")  # of a number's name; a point after = and digits is a decimal point
KINDS = (Statistic.STDERR, Statistic.SPREAD)  # the last word of a number's name, if it belongs to another number


def learner_label(name: str) -> str:
    """Return the label of a learner; an unknown learner's is its name, with spaces."""
    return ROLES[name].label if name in ROLES else name.replace("_", " ")


def in_words(name: str) -> str:
    """Return a number's name in words: 'loss, trained Transformer' for `loss.transformer`.

    Points separate words, but those of decimals: `half.rope.eta=0.1` is 'half, rope, eta=0.1'.
    """
    words = (word.replace("·", ".") for word in WORD.findall(name))
    return ", ".join(METRICS[word][0] if word in METRICS else learner_label(word) for word in words)


def main_names(names: Iterable[str]) -> list[str]:
    """Return the names of numbers, each once, without standard errors and spreads of other numbers."""
    return list(dict.fromkeys(name for name in names if "." not in name or name.split(".")[-1] not in KINDS))


def part_in_words(name: str) -> str:
    """Return the name of a sweep's part in words: '2 layers' for `layers_2`, 'rag dot' for `rag_dot`."""
    word, _, count = name.rpartition("_")
    return f"{count} {word}" if word and count.isdigit() else name.replace("_", " ")
