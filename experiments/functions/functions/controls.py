"""Controls of claims about decoders of functions: that they learn in context, and that training was at its end."""

from analysis.figures import learned
from analysis.figures.claim import Control
from analysis.figures.estimates import Estimate, combine
from analysis.figures.evidence import Condition, above
from analysis.figures.prefixes import SUBJECT, counts_of, error, width
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import NotMeasured, Row, distinct, table
from lab.runs.directory import RunDirectory

HALF = 0.5  # of what the best other predictor learns from the same examples


def judge_learned(directory: RunDirectory) -> list[Condition]:
    """Compare what the decoder gains over the answer 0, whose error is 1, with what the best other predictor gains."""
    d = width(directory)
    return [
        above(f"{place}share of what the best other predictor learns", _share(rows, d), HALF)
        for place, rows in learned.by_place(table(directory, Table.SEEDS), ByExamples.SEED).items()
    ]


def _share(rows: list[Row], d: int) -> Estimate:
    """Return (1 - error) / (1 - smallest error of another predictor) after 2 d examples, or the most below that.

    Raises:
        NotMeasured: there is no other predictor, or it has learned nothing.
    """
    others = [name for name in distinct(rows, ByExamples.LEARNER) if name != SUBJECT]
    if not others:
        raise NotMeasured("there is no other predictor")
    count = max(count for count in counts_of(rows, SUBJECT, *others) if count <= 2 * d)
    best = min((error(rows, name, count) for name in others), key=lambda each: each.mean)
    if best.mean >= 1:
        raise NotMeasured(f"after {count:g} examples no predictor is better than the answer 0")
    return combine(lambda one, other: (1 - one) / (1 - other), error(rows, SUBJECT, count), best)


LEARNED = Control("the decoder learns at least half of what the best other predictor learns in context", judge_learned)
CONTROLS = (LEARNED, learned.flat("loss.decoder"))
