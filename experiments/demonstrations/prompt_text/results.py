"""The results of operations on the text of a prompt [LRGD]: columns, and claims over seeds with users of their own.

Every number is a mean over test users, and gains are of the same users. Their errors are over seeds, but not below
those over all users.
"""

from analysis.figures import controls
from analysis.figures.cited import Work, said, stronger
from analysis.figures.controls import Control
from analysis.figures.measures import paired_over_users
from analysis.results.column import Column, Headline
from analysis.results.declared import claim

TEXT = "text"  # the table with one row per seed and operation on the instructions, and alpha of shrinking
LIKENESS = "likeness"  # per seed and learner that the plain decoder is compared with
CURVES = "curves"  # per seed, training, of the decoder or of the prefix, and step
TABLES = (TEXT, LIKENESS, CURVES)
SEED, OPERATION, ALPHA, LEARNER = "seed", "operation", "alpha", "learner"
PLAIN, SHRUNK, CHOSEN, INVERSE, PREFIX, UNTRAINED = (
    "plain", "shrunk", "shrunk_chosen", "inverse", "prefix", "prefix_untrained",
)  # fmt: skip
OPERATIONS = {
    CHOSEN: "shrunk by the chosen alpha",
    INVERSE: "behind the demonstrations",
    PREFIX: "trained prefix",
    UNTRAINED: "untrained prefix",
}

ndcg = Column(TEXT, "ndcg_10", "nDCG@10", "Of the decoder on test users, after an operation.", OPERATION)
gain = Column(TEXT, "gain", "nDCG@10 gained", "nDCG@10 minus that of the plain decoder.", OPERATION,
              estimate_of=paired_over_users)  # fmt: skip
cosine = Column(LIKENESS, "cosine", "cosine of answers", "Of the plain decoder's and another learner's.", LEARNER)
same_top = Column(LIKENESS, "same_top", "same item on top", "Share of queries with this item on top of both.", LEARNER)
LOSS = "loss"  # of curves.csv: cross-entropy over the slate, on the same users at every step
ALIKE = 0.5  # cosine: more along the answers of one step of gradient descent than across them

HEADLINES = tuple(
    Headline(f"{column.name}.{name}", f"{column.label}, {words}", column.sentence, column[name])
    for column, names in ((ndcg, {PLAIN: "plain"} | OPERATIONS), (gain, OPERATIONS))
    for name, words in names.items()
)
ANSWER = (
    "the plain decoder reaches nDCG@10 = {ndcg_10.plain}",
    "shrinking the instructions changes it by {gain.shrunk_chosen}, moving them behind the demonstrations by "
    "{gain.inverse}, and a trained prefix by {gain.prefix}",
    "an untrained prefix changes it by {gain.prefix_untrained}",
)

CONTROLS = (
    Control("the decoder answers from its demonstrations, as one step of gradient descent does",
            cosine["descent"] > ALIKE),
    controls.flat(LOSS, learner="decoder"),
)  # fmt: skip
CLAIMS = (
    claim(
        "Shrinking the values of the instructions improves recommendations.",
        said(Work.LRGD, "section 3.5, after eq. 18", "leading to improved generalization and robust recommendations"),
        gain[CHOSEN] > 0,
        "with the alpha that is best on other users",
        delta=0.005,
        delta_set="28 November 2026: less than .005 of nDCG@10, half a point, is no difference to a reader of a list",
    ),
    claim(
        "Instructions behind the demonstrations make recommendations worse.",
        said(Work.LRGD, "section 4.5 and table 5", "shows the lowest performance among all metrics"),
        gain[INVERSE] < 0,
        "the plain decoder's are in front",
    ),
    claim(
        "A regularising text in front of the prompt improves recommendations.",
        stronger(Work.LRGD, "section 3.5", "providing a better starting position"),
        (gain[PREFIX] > 0) & (gain[PREFIX] - gain[UNTRAINED] > 0),
        "trained tokens, and as many untrained ones",
        controls=(*CONTROLS, controls.flat(LOSS, learner="prefix")),
    ),
)
