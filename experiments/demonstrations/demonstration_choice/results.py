"""The results of choosing one of several sets of demonstrations [LRGD, section 3.4]: columns, and claims over decoders.

Decoders and a language model are two subjects of one study, and `language_choice` has its own claims. A seed is a
decoder with its episodes, or a draw of sets and validation rows.
"""

from analysis.figures.cited import Work, own, said
from analysis.figures.controls import Control
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Every

CHOICE = "choice"  # the table with one row per seed, score and number of validation queries
BOUNDS = "bounds"  # per seed and set of demonstrations that no score chooses
PATH = "path"  # per decoder, half of the sets and number of demonstrations
REACHED = "reached"  # per decoder and half of the sets, and one for the difference
TABLES = (CHOICE, BOUNDS, PATH, REACHED)  # of decoders
SEED, SCORE, QUERIES, BOUND = "seed", "score", "queries", "bound"  # queries for validation
HALF, LEARNED = "half", "demonstrations"  # of a task's sets, by Effect_D on the most queries; learned, from 0
BETTER, WORSE, DIFFERENCE = "better", "worse", "better - worse"
SCORES = {"effect": 1, "accuracy": 1, "loss": -1}  # 1 where more is better
LABELS = {"effect": "Effect_D", "accuracy": "accuracy", "loss": "log-loss"}
SETS = {"random": "random_set", "best": "best_set", "zero_shot": "zero_shot"}  # {bound: in names of numbers}


def _of_choice(name: str, label: str, sentence: str) -> Column:
    return Column(CHOICE, name, label, sentence, SCORE, sparse=True)


accuracy = _of_choice("accuracy", "accuracy, choice", "Test accuracy with the set that is the best by a score.")
gain = _of_choice("gain", "accuracy with the choice - with a random set", "Paired within an episode, or by test row.")
lead = _of_choice("lead", "lead of the choice of Effect_D", "How much more accurate than another score's its set is.")
spearman = _of_choice("spearman", "rank correlation", "Spearman's, over sets, of a score with test accuracy.")
undefined = _of_choice("spearman.left_out", "without a correlation", "Episodes in which it is not defined.")
validation = _of_choice("validation", "on validation", "The score of the chosen set on the validation queries.")
test = _of_choice("test", "on test", "The same score on the test queries.")
optimism = _of_choice("optimism", "on validation - on test", "By how much a score flatters the set that it chooses.")
tied = _of_choice("tied", "sets that tie", "Sets with the best score; the first is chosen, as they are in no order.")
bound_accuracy = Column(BOUNDS, "accuracy", "accuracy", "Test accuracy of a random set (the mean over sets), of the "
                        "best set on the test queries themselves, and of no set.", BOUND)  # fmt: skip
rank = Column(
    PATH, "rank", "rank of the right class", "Mean over test queries, along the path of the dual models.", HALF
)
steps = Column(REACHED, "steps", "demonstrations until first", "Demonstrations until the right class is the first; one "
               "more than there are if it never is.", HALF)  # fmt: skip


def headlines(*further: Headline) -> tuple[Headline, ...]:
    """Return the headline numbers of every subject, at the most validation queries."""
    bounds = (
        Headline(
            f"accuracy.{name}", f"accuracy, {name.replace('_', ' ')}", bound_accuracy.sentence, bound_accuracy[bound]
        )
        for bound, name in SETS.items()
    )
    scores = (
        Headline(f"{column.name}.{score}", f"{column.label} by {label}", column.sentence, column[score])
        for column in (accuracy, spearman)
        for score, label in LABELS.items()
    )
    leads = (
        Headline(f"lead.{score}", f"{lead.label}, {LABELS[score]}", lead.sentence, lead[score])
        for score in ("accuracy", "loss")
    )
    return (*bounds, *scores, *leads, *further)


def helps() -> Every:
    """Return the bounds of sets that are better on the test where Effect_D on validation queries is higher."""
    return (spearman.along(QUERIES, "effect") > 0) & (gain.along(QUERIES, "effect") > 0)


def better_than(score: str, lead: Column = lead) -> Bounds:
    """Return the bound of a choice by Effect_D that is more accurate than that by another score."""
    return lead.along(QUERIES, score).mean() > 0


def learned(bounds: Column = bound_accuracy) -> Bounds:
    """Return the bound of demonstrations that help."""
    return bounds["random"] - bounds["zero_shot"] > 0


HEADLINES = headlines(
    *(Headline(f"steps.{half}", f"{steps.label}, {half} sets", steps.sentence, steps[half]) for half in (BETTER, WORSE))
)
ANSWER = (
    "of {sets} sets of demonstrations the one that Effect_D chooses is right in {accuracy.effect} of the queries, "
    "beside {accuracy.random_set} for a random set and {accuracy.best_set} for the best set of all",
    "the choice by accuracy is right in {accuracy.accuracy}, less than that by Effect_D by {lead.accuracy}, and the "
    "choice by log-loss in {accuracy.loss}, less by {lead.loss}",
)

SECTION = "section 3.4"
HERE = "derived here from LRGD, section 3.4"
better_path, worse_path = (rank.along(LEARNED, half) for half in (BETTER, WORSE))
LEARN = "the decoders learn from demonstrations"
CONTROLS = (Control(LEARN, learned()),)
CLAIMS = (
    claim(
        "Demonstrations with a higher Effect_D on validation queries give a higher accuracy on test queries.",
        said(Work.LRGD, SECTION, "implies better generalization performance on the test set"),
        helps(),
    ),
    claim(
        "Better demonstrations reach the right class in fewer steps of the dual models.",
        own(f"{HERE}, figure 4, whose steps are output tokens and not demonstrations"),
        steps[DIFFERENCE] < 0,
        "in the last layer's dual models, on test queries; better are the half of the sets with the higher Effect_D on "
        "validation queries",
    ),
    claim(
        "Along the path of the dual models every demonstration moves the right class to the front.",
        own("derived here: a step on one demonstration is a step towards its own class"),
        (better_path.steps() < 0) & (worse_path.steps() < 0),
    ),
)
