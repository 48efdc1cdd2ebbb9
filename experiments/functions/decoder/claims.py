"""The claim about a trained decoder, and what must be seen before: that it learns in context, and was done learning.

Of one seed the claim is about this model, with errors over its episodes.
"""

from analysis.figures import learned
from analysis.figures.cited import own
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate, known
from analysis.figures.evidence import Condition, above, within
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import NotMeasured, Row, rows_where, table
from lab.runs.directory import RunDirectory

CLOSE = 0.01  # of accuracy


def judge(directory: RunDirectory) -> list[Condition]:
    """Return one condition per number of examples, on the difference of accuracy from the Bayes-optimal answer's.

    The error is that over seeds, or for a single seed that over its episodes.

    Raises:
        NotMeasured: the task has no classes, or its optimal answer is not known.
    """
    return [
        within(f"difference at {count:g} examples", _number(rows, "accuracy_excess"), CLOSE)
        for count, rows in _by_examples(directory).items()
    ]


def learns_in_context(directory: RunDirectory) -> list[Condition]:
    """
    Raises:
        NotMeasured: it was measured with one number of examples alone.
    """
    by_examples = _by_examples(directory)
    fewest, most = min(by_examples), max(by_examples)
    if fewest == most:
        raise NotMeasured("one number of examples alone")
    name = f"accuracy with {most:g} examples - with {fewest:g}"
    one, other = (_number(by_examples[count], "accuracy") for count in (most, fewest))
    return [above(name, one - other)]


def _by_examples(directory: RunDirectory) -> dict[float, list[Row]]:
    """Return {number of examples: the decoder's rows of seeds.csv}, fewest first."""
    rows = rows_where(table(directory, Table.SEEDS), {ByExamples.LEARNER: "decoder"})
    counts = sorted({row.number(ByExamples.EXAMPLES) for row in rows})
    return {count: rows_where(rows, {ByExamples.EXAMPLES: count}) for count in counts}


def _number(rows: list[Row], column: str) -> Estimate:
    over_seeds = estimate(rows, column)
    if len(rows) > 1:
        return over_seeds
    error = rows[0][f"{column}.stderr"]
    if not isinstance(error, float):
        raise NotMeasured(f"{column}.stderr is empty")
    return known(over_seeds.mean, error)


CONTROLS = (Control("the decoder learns in context", learns_in_context), learned.of_one(learned.flat("loss.decoder")))
CLAIMS = (
    Claim(
        statement="A decoder trained on shifted classes answers Bayes-optimally, however many examples it sees.",
        source=own("derived here: the Bayes-optimal answer has a closed form"),
        criterion="accuracy within .01 of the Bayes-optimal answer's at every number of examples; of one seed, this "
        "model's, with the error over episodes",
        judge=judge,
    ),
)
