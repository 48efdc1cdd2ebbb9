"""The results of a language model that reads its demonstrations again: what `deep_thinking` has not, and its claims.

A seed belongs to a set of demonstrations. A column NUMBER has the mean over the test rows; NUMBER.common is the
standard error of the mean over sets that comes from these rows, which all sets share
(`experiments.demonstrations.two_way`).
Claims are judged with the source's positions, which go on at a further reading.
"""

from analysis.figures.cited import Work, said, stronger
from analysis.figures.controls import Control
from analysis.results.column import FIRST, LAST, Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Quantity
from experiments.demonstrations.deep_thinking import results as study

EXAMPLES = "examples"  # the table with one row per set and number of its first demonstrations that are shown
PUBLISHED = "published"  # per accuracy that the source printed, beside this run's
TABLES = (EXAMPLES, study.ITERATIONS, study.PROTOCOLS, study.NORMS, study.COST, PUBLISHED)
OFFSET = "offset"  # a column of iterations.csv, protocols.csv and norms.csv: whether positions go on, 1 or 0
COUNT = "examples"
by_examples = Column(EXAMPLES, "accuracy", "accuracy", "Share of test rows that are right behind so many.", COUNT)
tokens = Column(EXAMPLES, "tokens", "tokens", "Tokens of these demonstrations.", COUNT)
loss = Column(EXAMPLES, "loss", "loss", "Cross-entropy of the right answer among a query's.", COUNT, "nats")
chance = Column(EXAMPLES, "chance", "chance", "Share of test rows that an answer at random gets right.", COUNT)
majority = Column(EXAMPLES, "majority", "majority", "Share of the most frequent class; chance without classes.", COUNT)
DATA_SET, NUMBER = "data_set", "number"  # the first columns of published.csv; numbers are the protocols of SOURCE
ours = Column(PUBLISHED, "ours", "of this run", "The accuracy of this run.", NUMBER)
printed = Column(PUBLISHED, "published", "printed", "What the source printed; empty where it has none.", NUMBER)
IN_CONTEXT, BEST, NO_MOMENTUM = "in_context", "best_test", "best_over_no_momentum"
# {protocol: its name in the source's table}
SOURCE = {IN_CONTEXT: "in_context", BEST: "deep_thinking", study.VALIDATED: None}
WORDS = {
    study.VALIDATED: "number chosen on validation rows of each set",
    BEST: "number that is best on the test rows",
    study.FRESH: "best on half of the rows, on the others",
    NO_MOMENTUM: "best on the rows, by momentum",
    study.AGAIN: "one whole re-reading",
    study.TWICE: "every demonstration shown twice",
    study.ZERO_SHOT: "no demonstrations",
}

HEADLINES = (
    Headline("accuracy.zero_shot", "accuracy, zero-shot", by_examples.sentence, by_examples[0]),
    Headline("accuracy.in_context", "accuracy, in context", study.accuracy.sentence, study.accuracy[1]),
    *(
        Headline(f"gain.{name}", f"{study.gain.label}, {words}", study.gain.sentence, study.gain[name])
        for name, words in WORDS.items()
    ),
    Headline("chance", chance.label, chance.sentence, chance.along(COUNT).mean()),
)
ANSWER = (
    "reading the demonstrations again at eta = {eta} and beta = {beta}, as often as is best on validation rows, gains "
    "{gain.validated} of accuracy over one reading, which is right in {accuracy.in_context}",
    "without demonstrations the accuracy is {accuracy.zero_shot}",
    "the number of iterations that is best on the test gains {gain.best_test} there, and {gain.fresh} on rows that did "
    "not choose it",
)


going_on, fading = study.gain.where(offset=1), study.relative.where(offset=1)

CONTROLS = (Control("demonstrations help the model", study.gain[study.ZERO_SHOT] < 0),)
one_reading = study.accuracy.where(offset=LAST, eta=FIRST, beta=FIRST)[1]  # the same with all of them
ROOM = Quantity("accuracy with all demonstrations", "", one_reading.numbers) < 1
WITH_ROOM = (*CONTROLS, Control("there are answers to put right", ROOM))
CLAIMS = (
    claim(
        "A language model that reads its demonstrations again, with momentum, improves on plain in-context learning.",
        stronger(Work.DT, f"{study.SECTION}1, tables 1 and 2", "substantially outperforms vanilla ICL"),
        going_on.where(**study.THEIRS)[study.VALIDATED] > 0,
        "the number of iterations is chosen on validation rows of each set",
        controls=WITH_ROOM,
    ),
    claim(
        "Momentum gains, at the same rate, in a language model.",
        said(Work.DT, f"{study.SECTION}4, table 3", "substantially better than the non-momentum method"),
        going_on.where(**study.THEIRS)[NO_MOMENTUM] > 0,
        "after the number of iterations that is best on the test rows, with and without momentum",
        controls=WITH_ROOM,
    ),
    claim(
        "Updates of a language model's keys fade faster with a larger rate.",
        stronger(Work.DT, f"{study.SECTION}3, figure 5", "leads to faster decay of"),
        study.fades_faster(fading),
        "the first layer follows a recurrence whatever is learned",
    ),
    claim(
        "Updates of a language model's keys fade fastest near the input.",
        stronger(Work.DT, f"{study.SECTION}3, figure 5", "occurring near the input layer"),
        study.fades_first_near_the_input(fading),
    ),
)
