"""The results of a language model behind more and more demonstrations: where it learns in context.

A seed belongs to a set of demonstrations. A column NUMBER has the mean over the test rows, and NUMBER.common the
standard error of the mean over sets that comes from these rows, which all sets share
(`experiments.demonstrations.two_way`).
"""

from analysis.figures.cited import own
from analysis.figures.controls import Control
from analysis.results.column import LAST, Column, Headline
from analysis.results.declared import claim
from analysis.tables.columns import Seeds

EXAMPLES = "examples"  # the table with one row per data set, set, number of demonstrations and way to compare answers
CHOSEN = "chosen"  # per data set and set: what validation rows choose, for each way alone and for any way
TABLES = (EXAMPLES, CHOSEN)
SEED = Seeds.SEED
DATA_SET, COUNT, WAY, CHOICE, ANY = "data_set", "examples", "answer", "among", "any"
accuracy = Column(EXAMPLES, "accuracy", "accuracy", "Share of test rows that are right behind so many.", WAY)
by_examples = Column(EXAMPLES, "gain", "accuracy gained", "Accuracy minus the same without demonstrations.", WAY)
loss = Column(EXAMPLES, "loss", "loss", "Cross-entropy of the right answer among a query's.", WAY, "nats")
validation = Column(EXAMPLES, "validation", "accuracy on validation rows", "Share of validation rows that are right.",
                    WAY)  # fmt: skip
tokens = Column(EXAMPLES, "tokens", "tokens", "Tokens of the demonstrations.", WAY)
chance = Column(EXAMPLES, "chance", "chance", "Share of test rows that an answer at random gets right.", WAY)
majority = Column(EXAMPLES, "majority", "majority", "Share of the most frequent class among the test rows.", WAY)
chosen_way = Column(CHOSEN, "way", "way", "The way to compare answers that is best on validation rows.", CHOICE)
alone_way = Column(CHOSEN, "alone", "way alone", "The way that is best there without demonstrations.", CHOICE)
chosen_count = Column(CHOSEN, "examples", "demonstrations", "Their number that is best on validation rows.", CHOICE)
chosen_accuracy = Column(CHOSEN, "accuracy", "accuracy, chosen",
                         "Share of test rows that are right behind the chosen number, by the chosen way.",
                         CHOICE)  # fmt: skip
zero_shot = Column(CHOSEN, "zero_shot", "accuracy, zero-shot", "Share of test rows that are right without any.", CHOICE)
gain = Column(CHOSEN, "gain", "accuracy gained, chosen", "Accuracy as chosen minus the accuracy without any.", CHOICE)

HEADLINES = tuple(
    Headline(name, column.label, column.sentence, column.along(DATA_SET, ANY))
    for name, column in (("gain", gain), ("accuracy", chosen_accuracy), ("zero_shot", zero_shot))
)
ANSWER = (
    "with the number of demonstrations and the way to compare answers that are best on validation rows, demonstrations "
    "change the model's accuracy by {gain.*}",
    "it is then {accuracy.*}",
)

CONTROLS = (
    Control(
        "the model is right more often than chance",
        (chosen_accuracy.along(DATA_SET, ANY) - chance.where(examples=0).along(DATA_SET, "sum")).mean() > 0,
    ),
)
CLAIMS = (
    claim(
        "A pretrained language model answers more accurately behind demonstrations than without, on every data set.",
        own("the premise of every claim on language models that learn in context, checked here for this one"),
        gain.along(DATA_SET, ANY) > 0,
        "number of demonstrations and way to compare answers are chosen on rows that are not scored",
    ),
    claim(
        "Behind the most demonstrations calibrated answers are more accurate than plain sums, in the mean over data "
        "sets.",
        own("of what Zhao et al. 2021 (arXiv 2102.09690) propose contextual calibration for"),
        (
            accuracy.where(examples=LAST).along(DATA_SET, "calibrated")
            - accuracy.where(examples=LAST).along(DATA_SET, "sum")
        ).mean()
        > 0,
    ),
)
