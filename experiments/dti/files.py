"""What a run of `dti` leaves at its end: tables, the trained decoder, and numbers."""

from collections.abc import Sequence

import numpy as np

from analysis.metrics.clicks import by_users, resamples
from analysis.tables.clicks import METRICS, answer_rows
from analysis.tables.rows import statistics, suffixed
from experiments.dti.evaluation import DECODER, SLIDING, STREAMING, Evaluator
from trainers.cost import cost
from trainers.population import at
from trainers.run import Run
from trainers.session import Session


def write(session: Session, evaluator: Evaluator, runs: Sequence[Run]) -> None:
    """The final evaluation, and the files of each run, of its own rows of the population."""
    everyone = {"answers": evaluator.final(), "trained": session.state[1][DECODER].learner}
    spent = cost(session, runs)
    for each in runs:
        here, record = at(everyone, each.rows), each.record
        rows = seed_rows(record.settings.model.targets, each.seeds, here["answers"])
        record.table("curves", record.curves)
        record.table("clicks", rows)
        record.learner(DECODER, here["trained"])
        record.numbers(numbers(rows))
        record.entries(**spent)


def seed_rows(targets: int, seeds: list[int], answers: dict) -> list[dict]:
    """One row per seed and answerer: AUC, log loss (nats) and F1 on the test targets, with errors over users; of
    the streaming evaluation also `gap.METRIC`, by how much it is above the sliding one, paired."""
    rows = []
    for place, seed in enumerate(seeds):
        labels_UxQ = answers["labels"][place]
        weight_DxU = resamples(len(labels_UxQ))
        found = {name: by_users(labels_UxQ, logits[place], weight_DxU) for name, logits in answers["logits"].items()}
        rows += [{"targets": targets} | row for row in answer_rows(seed, found, of={STREAMING: SLIDING})]
    return rows


def numbers(rows: list[dict]) -> dict[str, float | None]:
    """Headline numbers: means over the seeds of the sliding evaluation, and of the gap, with their errors."""
    shown = {metric: (SLIDING, metric) for metric in METRICS} | {"gap": (STREAMING, "gap.auc")}
    found = {}
    for name, (answerer, column) in shown.items():
        of_seeds = [row for row in rows if row["answers"] == answerer]
        values, errors = (np.array([row[key] for row in of_seeds]) for key in (column, f"{column}.stderr"))
        by_seed = {"mean": values, "stderr": errors, "common": np.zeros_like(errors)}
        found |= {f"{name}{suffix}": value for suffix, value in suffixed(statistics(by_seed))}
    return found
