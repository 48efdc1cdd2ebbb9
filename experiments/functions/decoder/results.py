"""The results of `decoder`: a trained decoder beside the Bayes-optimal answer, by the number of examples.

Of one seed the claim is about this model, with errors over its episodes.
"""

from analysis.figures import controls
from analysis.figures.cited import own
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, known
from analysis.results.column import Column
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import NotMeasured, rows_where, table
from lab.runs.directory import RunDirectory

DECODER = "decoder"
CLOSE = 0.01  # of accuracy


def column(name: str, label: str, sentence: str) -> Column:
    return Column(Table.SEEDS, name, label, sentence, ByExamples.LEARNER)


accuracy = column("accuracy", "accuracy", "Share of test queries that the trained decoder answers right.")
loss = column("loss", "loss", "Mean loss of the trained decoder on the test episodes.")
accuracy_excess = column(
    "accuracy_excess", "accuracy: decoder - optimal", "Accuracy minus the Bayes-optimal answer's, same episodes."
)
loss_excess = column("loss_excess", "loss: decoder - optimal", "Loss minus the Bayes-optimal answer's, same episodes.")
examples = column("examples", "examples", "The most examples of a test episode; other numbers are measured there.")

HEADLINES = (accuracy, accuracy_excess, loss, loss_excess, examples)  # of the decoder, with the most examples
ANSWER = (
    "with the most examples the trained decoder is right in {accuracy} of queries",
    "accuracy minus that of the Bayes-optimal answer is {accuracy_excess}",
    "with the most examples the trained decoder has a loss of {loss}",
    "loss minus that of the Bayes-optimal answer is {loss_excess}",
)


def by_examples(measured: Column) -> Quantity:
    """Return a number of the decoder at every number of examples.

    The error is that over seeds, or for a single seed that over its episodes.
    """
    over_seeds = measured.along(ByExamples.EXAMPLES, DECODER)

    def numbers(directory: RunDirectory) -> Numbers:
        rows = rows_where(table(directory, measured.table), {measured.key: DECODER})
        errors = {f"{ByExamples.EXAMPLES} {row.number(ByExamples.EXAMPLES):g}": row for row in rows}
        return {
            place: each if len(each.by_seed) > 1 else _over_episodes(each, errors[place][f"{measured.name}.stderr"])
            for place, each in over_seeds.numbers(directory).items()
        }

    return Quantity(measured.label, "", numbers, over_seeds.places)


def _over_episodes(number: Estimate, error: float | str) -> Estimate:
    if not isinstance(error, float):
        raise NotMeasured("a standard error over episodes is empty")
    return known(number.mean, error)


CONTROLS = (
    Control("the decoder learns in context", by_examples(accuracy).last() - by_examples(accuracy).first() > 0),
    controls.of_one(controls.flat("loss.decoder")),
)
CLAIMS = (
    claim(
        "A decoder trained on shifted classes answers Bayes-optimally, however many examples it sees.",
        own("derived here: the Bayes-optimal answer has a closed form"),
        by_examples(accuracy_excess).within(CLOSE),
        "of one seed, this model's, with the error over episodes",
    ),
)
