"""Claims about the lab's own small language model: that it learns words in context, as well as can be."""

from analysis.figures import learned
from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate, known
from analysis.figures.evidence import Condition, above, within
from analysis.tables.select import NotMeasured, Row, distinct, rows_where, table
from experiments.demonstrations.language_model.columns import EXCHANGED, NATURAL, Examples, Table
from lab.runs.directory import RunDirectory

CLOSE = 0.02  # of accuracy


def _accuracy(rows: list[Row], number: float) -> Estimate:
    (row,) = rows_where(rows, {Examples.EXAMPLES: number})
    return known(row.number(Examples.ACCURACY), row.number(f"{Examples.ACCURACY}.stderr"))


def _of(directory: RunDirectory, question: str, words: str) -> list[Row]:
    return rows_where(table(directory, Table.EXAMPLES), {Examples.QUESTION: question, Examples.WORDS: words})


def _asked(directory: RunDirectory) -> list[str]:
    return distinct(table(directory, Table.EXAMPLES), Examples.QUESTION)


def learns(directory: RunDirectory) -> list[Condition]:
    """Return one condition per question that is asked: with the most examples it is above what it is without."""
    conditions = []
    for question in _asked(directory):
        rows = _of(directory, question, EXCHANGED)
        if not (most := max(row.number(Examples.EXAMPLES) for row in rows)):
            raise NotMeasured("no query has an example before it")
        gain = _accuracy(rows, most) - _accuracy(rows, 0)
        conditions.append(above(f"{question}, exchanged words: accuracy after {most:g} examples - without", gain))
    return conditions


def is_close(directory: RunDirectory) -> list[Condition]:
    """Return one condition per question and number of examples, on documents as they are drawn."""
    share = float(directory.read_config()["task"]["exchanged"])  # of documents that exchange words
    conditions = []
    for question in _asked(directory):
        natural, exchanged = (_of(directory, question, words) for words in (NATURAL, EXCHANGED))
        for row in natural:
            number = row.number(Examples.EXAMPLES)
            one, other = _accuracy(natural, number), _accuracy(exchanged, number)
            best = row.number(Examples.BEST)
            error = (((1 - share) * one.common) ** 2 + (share * other.common) ** 2) ** 0.5
            excess = known((1 - share) * one.mean + share * other.mean - best, error)
            conditions.append(within(f"{question}, {number:g} examples: accuracy - best", excess, CLOSE))
    return conditions


CONTROLS = (learned.of_one(learned.flat("loss")),)
CLAIMS = (
    Claim(
        statement="A small language model learns in context which sense the words of a document have.",
        source=own("derived here: only the examples of a document tell whether its words are exchanged"),
        criterion="in documents with exchanged words, accuracy after the most examples above that without, for each "
        "question that the documents ask; errors over documents",
        judge=learns,
        controls=(),
    ),
    Claim(
        statement="It answers as well as can be after every number of examples.",
        source=own("derived here: the Bayes-optimal answer follows from how documents are made"),
        criterion="accuracy, over documents of both sorts as they are drawn, within .02 of the Bayes-optimal "
        "answer's at every number of examples and for each question that the documents ask",
        judge=is_close,
    ),
)
