"""The files of a run of `dti`: tables, the trained decoder, and headline numbers."""

from collections.abc import Sequence

from analysis.tables.columns import Table
from experiments.clicks.dti.evaluation import DECODER, SLIDING, STREAMING, Evaluator
from experiments.clicks.dti.settings import Dti
from experiments.clicks.metrics import by_users, resamples
from experiments.clicks.tables import METRICS, Clicks, Spent, answer_rows, metric_numbers
from trainers.cost import cost
from trainers.population import at
from trainers.session import Session
from trainers.slice import RunSlice

NUMBERS = {metric: (SLIDING, metric) for metric in METRICS} | {"gap": (STREAMING, Clicks.GAP_AUC)}


def write(session: Session, evaluator: Evaluator, runs: Sequence[RunSlice[Dti]]) -> None:
    """Make the final evaluation, and write the files of each run from its own members of the population."""
    everyone = {"answers": evaluator.final(), "trained": session.state[1][DECODER].learner}
    spent = cost(session, runs)
    for each in runs:
        here, record = at(everyone, each.rows), each.record
        rows = seed_rows(record.settings.model.targets, each.seeds, here["answers"])
        record.table(Table.CURVES, record.curves)
        record.table(Table.CLICKS, rows)
        record.table(Table.SPENT, [spent_row(session, record.settings)])
        record.learner(DECODER, here["trained"])
        record.numbers(metric_numbers(rows, NUMBERS))
        record.entries(**spent)


def seed_rows(targets: int, seeds: list[int], answers: dict) -> list[dict]:
    """Return the rows of clicks.csv.

    Args:
        targets: k of the training prompts.
        answers: the result of `Evaluator.final` for these seeds.
    """
    rows = []
    for place, seed in enumerate(seeds):
        labels_UxQ = answers["labels"][place]
        weight_DxU = resamples(len(labels_UxQ))
        measured = {name: by_users(labels_UxQ, logits[place], weight_DxU) for name, logits in answers["logits"].items()}
        rows += [{Clicks.TARGETS: targets} | row for row in answer_rows(seed, measured, lower={STREAMING: SLIDING})]
    return rows


def spent_row(session: Session, settings: Dti) -> dict:
    """Return the row of spent.csv of a run, whose models may have trained together with those of others."""
    models, steps = session.size, settings.train.steps
    return {
        Spent.TARGETS: settings.model.targets,
        Spent.MODELS: models,
        Spent.STEPS: steps,
        Spent.PER_STEP: settings.train.batch_size * getattr(settings.task, "num_targets", 0),
        Spent.MILLISECONDS: 1e3 * session.watch.seconds["processor"] / (models * steps),
        Spent.DEVICE: " + ".join(session.watch.devices) or "unknown",
    }
