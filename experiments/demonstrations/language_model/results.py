"""The results of the lab's own small language model: columns, and claims that it learns words in context.

Numbers are those of one model, and their errors are over its test documents.
"""

from analysis.figures.cited import own
from analysis.figures.measures import of_model_or_models
from analysis.results.column import Choice, Column, Headline
from analysis.results.declared import claim

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

CLAIMS = (
    claim(
        "A small language model learns in context which sense the words of a document have.",
        own("derived here: only the examples of a document tell whether its words are exchanged"),
        with_most - zero_shot > 0,
        controls=(),
    ),
)  # fmt: skip
