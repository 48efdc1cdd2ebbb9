"""The results of choosing demonstrations for a language model: claims on what `demonstration_choice` declares.

A column NUMBER has the mean over the test rows, which all draws share, and NUMBER.common the standard error that comes
from them (`experiments.demonstrations.two_way`).
"""

from analysis.figures.cited import Work, said
from analysis.figures.controls import Control
from analysis.results.declared import claim
from experiments.demonstrations.demonstration_choice import results as study
from experiments.demonstrations.demonstration_choice.results import BOUNDS, CHOICE, SECTION

TABLES = (CHOICE, BOUNDS)
HEADLINES = study.headlines()
ANSWER = (
    "of {sets} sets of demonstrations the one that Effect_D chooses lets the language model be right in "
    "{accuracy.effect} of the test rows, beside {accuracy.random_set} for a random set and {accuracy.best_set} for the "
    "best set of all",
    *study.ANSWER[1:],
)

CONTROLS = (Control("the language model learns from demonstrations", study.learned()),)
CLAIMS = (
    claim(
        "Demonstrations with a higher Effect_D on validation rows give a language model a higher accuracy on test "
        "rows.",
        said(Work.LRGD, SECTION, "implies better generalization performance on the test set"),
        study.helps(),
    ),
)
