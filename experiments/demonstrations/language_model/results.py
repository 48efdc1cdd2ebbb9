"""The results of the lab's own small language model: columns, and claims that it learns words in context.

Numbers are those of one model, and their errors are over its test documents.
"""

from analysis.figures import controls
from analysis.figures.cited import own
from analysis.figures.estimates import combine
from analysis.figures.measures import of_model_or_models
from analysis.results.column import Choice, Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Numbers
from lab.runs.directory import RunDirectory

CURVES = "curves"  # the table of the training, as others write it
EXAMPLES = "examples"  # the table with one row per question, sort of document and number of examples before the query
TRAIN, TEST = "train", "test"  # labelled texts to demonstrate, some with a wrong label, and to score
TABLES = (CURVES, EXAMPLES, TRAIN, TEST)
SEED, QUESTION, WORDS, COUNT = "seed", "question", "words", "examples"  # of the model; topic or sentiment; of documents
NATURAL, EXCHANGED = "natural", "exchanged"  # words

accuracy = Column(EXAMPLES, "accuracy", "accuracy", "Share of queries that are answered right.", WORDS,
                  estimate_of=of_model_or_models)  # fmt: skip
chance = Column(EXAMPLES, "chance", "chance", "Accuracy of a guess.", WORDS, worst=max)
best = Column(EXAMPLES, "best", "Bayes-optimal", "Accuracy of the Bayes-optimal answer, over documents of both sorts "
              "as they are drawn.", WORDS, worst=max)  # fmt: skip
most = Column(EXAMPLES, COUNT, "examples", "The most examples before a query.", WORDS, worst=max)
MOST = Choice("most", lambda counts: [count for count in counts[-1:] if count])
CLOSE = 0.02  # of accuracy


def _above_best(directory: RunDirectory) -> Numbers:
    share = float(directory.read_config()["task"]["exchanged"])  # of documents that exchange words
    natural, exchanged, optimal = (
        column.along((QUESTION, COUNT), words).numbers(directory)
        for column, words in ((accuracy, NATURAL), (accuracy, EXCHANGED), (best, NATURAL))
    )
    return {
        place: combine(lambda a, b, c: (1 - share) * a + share * b - c, number, exchanged[place], optimal[place])
        for place, number in natural.items()
    }


with_most, zero_shot = (accuracy.where(examples=count).along(QUESTION, EXCHANGED) for count in (MOST, 0))
HEADLINES = (
    Headline("examples", most.label, f"{most.sentence} Accuracies are measured there.", most[NATURAL]),
    *(
        Headline(name, f"accuracy{words}", accuracy.sentence, accuracy.where(examples=count).along((QUESTION, WORDS)))
        for name, words, count in (("zero_shot", " without examples", 0), ("accuracy", "", MOST))
    ),
)
ANSWER = (
    "where words are exchanged, after {examples} examples the model is right in {accuracy.*, exchanged} of the "
    "queries, and without examples in {zero_shot.*, exchanged}",
)

CONTROLS = (controls.of_one(controls.flat("loss")),)
CLAIMS = (
    claim(
        "A small language model learns in context which sense the words of a document have.",
        own("derived here: only the examples of a document tell whether its words are exchanged"),
        with_most - zero_shot > 0,
        controls=(),
    ),
)  # fmt: skip
