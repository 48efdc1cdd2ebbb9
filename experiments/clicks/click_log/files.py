"""The files that a run of `click_log` writes at its end: tables, the trained decoder, and numbers."""

import numpy as np

from analysis.tables.columns import Table
from experiments.clicks.click_log import baselines
from experiments.clicks.click_log.evaluation import SLIDING, STREAMING, Evaluator, targets_of
from experiments.clicks.click_log.prompts import Prompts
from experiments.clicks.click_log.session import DECODER, LogSession
from experiments.clicks.metrics import by_groups, resamples
from experiments.clicks.tables import METRICS, Clicks, answer_rows, metric_numbers
from lab.runs import console
from tasks.logs.log import ClickLog
from trainers.cost import cost
from trainers.population import at
from trainers.slice import RunSlice


def write(session: LogSession, evaluator: Evaluator, run: RunSlice, log: ClickLog) -> None:
    """The test, and the files of the run, of its own rows of the population."""
    record, settings = run.record, run.record.settings
    with console.counting_bar("test", evaluator.batches("test")) as advance:
        answers = {name: evaluator.logits("test", name, advance) for name in evaluator.evaluations}
    with console.busy("baselines and errors over users"):
        fixed, notes = baselines.logits(log, settings.model.num_context, settings.eval.baseline)
        label, user = _test_targets(log)
        rows = seed_rows(run.seeds, {name: each[run.rows] for name, each in answers.items()}, fixed, label, user)
    for line in notes:
        record.note(line)
    record.table(Table.CURVES, record.curves)
    record.table(Table.CLICKS, rows)
    record.learner(DECODER, at(session.state[1][DECODER].learner, run.rows))
    names = dict.fromkeys(row[Clicks.ANSWERS] for row in rows)
    wanted = {f"{name}.{metric}": (name, metric) for name in names for metric in METRICS}
    wanted |= {f"gap.{metric}": (STREAMING, f"gap.{metric}") for metric in METRICS if STREAMING in names}
    record.numbers(metric_numbers(rows, wanted, same_users=True))
    record.entries(**cost(session, [run]), targets=log.size)


def seed_rows(
    seeds: list[int], answers: dict[str, np.ndarray], fixed: dict[str, np.ndarray], label: np.ndarray, user: np.ndarray
) -> list[dict]:
    """Return the rows of clicks.csv.

    Args:
        answers, fixed: {name: logits}, (P, R) of each seed's decoder, (R,) of a baseline, the same for all seeds.
        label, user: (R,).
    """
    users = int(user[-1]) + 1
    weight_DxU = resamples(users) if users > 1 else np.zeros((0, users))
    same = {name: by_groups(label, logit, user, weight_DxU) for name, logit in fixed.items()}
    rows = []
    for place, seed in enumerate(seeds):
        measured = {name: by_groups(label, each[place], user, weight_DxU) for name, each in answers.items()}
        rows += answer_rows(seed, measured | same, lower={STREAMING: SLIDING})
    return rows


def _test_targets(log: ClickLog) -> tuple[np.ndarray, np.ndarray]:
    """Labels (R,) of the test targets, and their users, numbered from 0 without those who have none."""
    rows = targets_of(log, "test")
    user = np.searchsorted(Prompts(log, "test", 0, 1).user_starts, rows, side="right")
    return np.asarray(log.label[rows]), np.unique(user, return_inverse=True)[1]
