"""The answer of kinds that choose one of several sets of demonstrations by a score."""

from analysis.report.sentences import away, joined, sentence, share
from analysis.report.values import claimed, number, setting

SCORES = {"effect": "Effect_D", "accuracy": "accuracy", "loss": "log-loss"}
LEAD = "accuracy with the choice of Effect_D - of "


def answer_of_choice(summary: dict, right: str, queries: str) -> str:
    """Return the accuracy with each score's choice, and by how much Effect_D's is better than the others'; "" without.

    Args:
        right: says before an accuracy that the chosen set answers so: "is right in".
        queries: what is answered.
    """
    chosen = {label: number(summary, f"accuracy.{name}") for name, label in SCORES.items()}
    values = {label: value for label, value in chosen.items() if value is not None}
    random, best = number(summary, "accuracy.random_set"), number(summary, "accuracy.best_set")
    if not values or random is None:
        return ""
    noun = {next(iter(values)): f" of the {queries}"}  # with the first share alone
    accuracies = joined(f"{share(value)}{noun.get(label, '')} by {label}" for label, value in values.items())
    bound = f", and in {share(best)} for the best set of all" if best else ""
    first = (
        f"of {setting(summary, 'sets')} sets of demonstrations the one that a score chooses {right} {accuracies}, "
        f"beside {share(random)} for a random set{bound}"
    )
    leads = claimed(summary, LEAD)
    second = joined(away(lead, f"the choice by {name.removeprefix(LEAD)}") for name, lead in leads.items())
    return sentence(first, f"the choice by Effect_D is {second}" if second else "", summary=summary)
