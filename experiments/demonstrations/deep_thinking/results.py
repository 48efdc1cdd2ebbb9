"""The results of reading demonstrations again [DT]: columns and bounds, and claims judged over seeds of decoders.

Decoders and a language model are two subjects of one study, and `language_deep_thinking` has its own claims. A seed is
a decoder, or a set of demonstrations. The source has one rate and one momentum for its results, THEIRS, and chooses the
number of iterations by the results that it reports: the best of up to 15.
"""

import numpy as np

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate
from analysis.results.column import Choice, Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.tables.select import NotMeasured, group_by, numbers, table
from lab.runs.directory import RunDirectory

ITERATIONS = "iterations"  # the table with one row per seed, rate, momentum and number of iterations
PROTOCOLS = "protocols"  # per seed and protocol, and rate, momentum and queries that choose where it has some
NORMS = "norms"  # per seed, rate, momentum, layer and iteration
TASKS = "tasks"  # per decoder and test episode, at the first rate and momentum
COST = "cost"  # per way to answer
TABLES = (ITERATIONS, PROTOCOLS, NORMS, TASKS, COST)  # of decoders

SEED, ETA, BETA = "seed", "eta", "beta"  # rate and momentum are empty where a protocol has none
COUNT = "iterations"  # how many; in norms.csv the number of the iteration
PROTOCOL, SCORED, LAYER, EPISODE, WAY = "protocol", "scored", "layer", "episode", "way"  # layers are from 1 on
accuracy = Column(ITERATIONS, "accuracy", "accuracy", "Share of test queries that are answered right.", COUNT)
gained = Column(ITERATIONS, "gain", "accuracy gained", "Accuracy minus that of one reading.", COUNT)
loss_difference = Column(ITERATIONS, "loss_difference", "loss gained", "Loss minus that of one reading.", COUNT, "nats")
gain = Column(PROTOCOLS, "gain", "accuracy gained", "Accuracy minus that of plain in-context learning.", PROTOCOL)
best = Column(PROTOCOLS, COUNT, "number of iterations", "The number of iterations that a protocol chooses.", PROTOCOL)
norm = Column(NORMS, "norm", "norm of the update", "Norm of an iteration's update of keys and values.", LAYER)
relative = Column(NORMS, "relative", "relative norm", "Norm of the update, relative to the first one; "
                  "empty where that is nothing but rounding.", LAYER, sparse=True)  # fmt: skip
recurrence = Column(NORMS, "recurrence", "recurrence", "What numbers say of it in the lowest layer that moves.", LAYER)
# Further columns of cost.csv: tokens that are read once per prompt and for each query, those that its token attends
# to, bytes of keys and values that are kept, and prompts for which these fit into memory.
PER_PROMPT, PER_QUERY, ATTENDED = "tokens_per_prompt", "tokens_per_query", "attended"
BYTES, PROMPTS_FIT = "key_value_bytes", "prompts_that_fit"
fit = Column(COST, "prompts_that_fit", "prompts that fit", "Prompts whose keys and values fit into memory.", WAY)
fit = Column(COST, "queries_that_fit", "queries that fit", "Queries of one prompt that fit into memory.", WAY,
             worst=max)  # fmt: skip
gain_scored = Column(TASKS, "gain_scored", "accuracy gained, queries that choose", "On the most queries.", EPISODE)
gain_fresh = Column(TASKS, "gain_fresh", "accuracy gained, fresh queries", "By all iterations, on a task's others.",
                    EPISODE)  # fmt: skip
nats_scored = Column(TASKS, "nats_scored", "nats gained, queries that choose", "By which all iterations lower the loss "
                     "on the most queries that choose. It changes with every answer.", EPISODE, "nats")  # fmt: skip
nats_fresh = Column(TASKS, "nats_fresh", "nats gained, fresh queries", "The same on a task's others.", EPISODE, "nats")
first_update = Column(TASKS, "first_update", "size of the first update", "Its norm over all layers.", EPISODE)
entropy = Column(TASKS, "entropy", "entropy of the first answers", "Mean over all queries.", EPISODE, "nats")

NOTHING_KEPT, PREFIX_KEPT, THINKING = "in context, nothing kept", "in context, prefix kept", "Deep-Thinking"  # ways
VALIDATED, AGAIN, TWICE, ZERO_SHOT = "validated", "again", "twice", "zero_shot"  # protocols of all subjects
COMMON, PER_TASK, FRESH = "best_common", "best_per_task", "fresh"
WORDS = {
    VALIDATED: "number chosen on other tasks",
    COMMON: "number that is best on these tasks",
    PER_TASK: "best for each task, by most queries",
    FRESH: "that number for each task, on its other queries",
    AGAIN: "one whole re-reading",
    TWICE: "every example shown twice",
    ZERO_SHOT: "no examples",
}
THEIRS, FAST, PLAIN = {ETA: 0.01, BETA: 0.9}, {ETA: 0.1, BETA: 0.9}, {ETA: 0.01, BETA: 0.0}
HALF_WAY = Choice("half-way", lambda counts: [(2 + counts[-1]) // 2])

HEADLINES = (
    Headline("accuracy.in_context", "accuracy, in context", accuracy.sentence, accuracy[1]),
    *(Headline(f"gain.{name}", f"{gain.label}, {words}", gain.sentence, gain[name]) for name, words in WORDS.items()),
)
ANSWER = (
    "reading the context again at eta = {eta} and beta = {beta}, as often as is best on other tasks, gains "
    "{gain.validated} of accuracy over one reading, which is right in {accuracy.in_context}",
    "with the best number of iterations for each task it gains {gain.best_per_task} on the queries that choose it, and "
    "{gain.fresh} on fresh queries of the same tasks",
)


def fades_faster(relative: Column) -> Every:
    """Return the bounds of updates that fade faster at the larger rate, in every layer that follows no recurrence."""
    return Every(((_half_way(relative, FAST) - _half_way(relative, THEIRS)).after(1) < 0,))


def fades_first_near_the_input(relative: Column) -> Every:
    """Return the bounds of updates that fade fastest in the lowest layer that moves, at both rates."""
    fast, slow = (_half_way(relative, pair) for pair in (FAST, THEIRS))
    return (fast.first() - fast.after(1) < 0) & (slow.first() - slow.after(1) < 0)


def _half_way(relative: Column, pair: dict) -> Quantity:
    return relative.where(**pair, iterations=HALF_WAY).along(LAYER)


def _correlation(directory: RunDirectory) -> Numbers:
    values = {}
    for seed, rows in group_by(table(directory, TASKS), SEED).items():
        scored, fresh = (np.array(numbers(rows, column.name)) for column in (nats_scored, nats_fresh))
        if min(scored.std(), fresh.std()) == 0:
            raise NotMeasured(f"{nats_scored.label} or {nats_fresh.label} is the same for all tasks")
        values[seed] = float(np.corrcoef(scored, fresh)[0, 1])
    return {"": Estimate(values)}


agreement = Quantity(f"correlation over tasks with the {nats_fresh.label}", nats_scored.label, _correlation)
MOST, FEWEST = (
    gain.where(scored=Choice(f"{words} queries", lambda counts, place=place: [counts[place]]))
    for words, place in (("most", -1), ("fewest", 0))
)
LOOP = "every stable rate and momentum leads to the keys and values of re-reading"
SECTION = "section 4.2, RQ"

CONTROLS = (Control("the decoders learn in context", gain[ZERO_SHOT] < 0),)
CLAIMS = (
    claim(
        "Reading the context again, with momentum, improves on in-context learning.",
        stronger(Work.DT, f"{SECTION}1, tables 1 and 2", "substantially outperforms vanilla ICL"),
        gain.where(**THEIRS)[VALIDATED] > 0,
        "one number of iterations for all tasks, chosen on other tasks",
    ),
    claim(
        "What the best number of iterations for each task gains, and what momentum adds, is no choice among noise.",
        stronger(Work.DT, f"{SECTION}1 and RQ4", "the best results obtained within"),
        (MOST.where(**THEIRS)[FRESH] > 0) & (MOST.where(**THEIRS)[FRESH] - MOST.where(**PLAIN)[FRESH] > 0),
        "the number that is best on the most queries that choose, on the task's other queries",
    ),
    claim(
        "Momentum gains, at the same rate.",
        said(Work.DT, f"{SECTION}4, table 3", "substantially better than the non-momentum method"),
        MOST.where(**THEIRS)[PER_TASK] - MOST.where(**PLAIN)[PER_TASK] > 0,
        "the best number of iterations for each task, on the queries that choose it",
    ),
    claim(
        "Momentum gains more than one whole re-reading without it.",
        own(f"derived here: {LOOP}"),
        gain.where(**FAST)[VALIDATED] - gain[AGAIN] > 0,
    ),
    claim(
        "With a larger rate the peak is reached in fewer iterations.",
        said(Work.DT, f"{SECTION}3", "leads to faster performance peaks"),
        best.where(**FAST)[COMMON] - best.where(**THEIRS)[COMMON] < 0,
    ),
    claim(
        "The fewer queries choose a task's number of iterations, the more it seems to gain on them.",
        own("derived here: the best of several noisy numbers is too good, and more so if they are noisier"),
        FEWEST.where(**THEIRS)[PER_TASK] - MOST.where(**THEIRS)[PER_TASK] > 0,
    ),
    claim(
        "Some tasks gain by reading again, and others do not.",
        own("derived here: two sets of queries of one task agree on what it gains only if tasks differ"),
        agreement > 0,
        "at the first rate and momentum",
    ),
    claim(
        "More queries fit into memory than where each has its own copy of the prompt.",
        said(Work.DT, f"{SECTION}2, figure 3", "in terms of the maximum batch size"),
        fit[THINKING] / fit[NOTHING_KEPT] > 1,
        "queries whose keys and values fit beside those that are kept; as many fit in plain in-context learning that "
        "keeps the prompt's keys and values",
        controls=(),
    ),
)
