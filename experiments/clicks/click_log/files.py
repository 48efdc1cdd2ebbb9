"""The files that a run of `click_log` writes at its end: tables, the trained decoder, and numbers."""

import numpy as np

from analysis.tables.columns import Table
from experiments.clicks.click_log import baselines
from experiments.clicks.click_log.evaluation import SLIDING, STREAMING, Evaluator, targets_of
from experiments.clicks.click_log.prompts import Prompts
from experiments.clicks.click_log.session import DECODER, LogSession
from experiments.clicks.click_log.settings import ClickLogRun
from experiments.clicks.metrics import by_groups, left_out, parts_of_groups, resamples
from experiments.clicks.tables import METRICS, Clicks, Groups, Spent, Users, answer_rows, metric_numbers
from lab.runs import console
from tasks.logs.log import ClickLog
from trainers.cost import cost
from trainers.population import at
from trainers.slice import RunSlice

GROUPS, USERS = "groups", "users"


def write(session: LogSession, evaluator: Evaluator, run: RunSlice, log: ClickLog) -> None:
    """The test, and the files of the run, of its own rows of the population."""
    record, settings = run.record, run.record.settings
    with console.counting_bar("test", evaluator.batches("test")) as advance:
        answers = {name: evaluator.logits("test", name, advance) for name in evaluator.evaluations}
    with console.busy("baselines and errors over users"):
        fixed, notes = baselines.logits(log, settings.model.num_context, settings.eval.baseline)
        label, user = test_targets(log)
        of_run = {name: each[run.rows] for name, each in answers.items()}
        targets = {Clicks.TARGETS: settings.model.targets}
        rows = [targets | row for row in seed_rows(run.seeds, of_run, fixed, label, user)]
        groups = [targets | row for row in group_rows(of_run, fixed, label, user)]
    for line in notes:
        record.note(line)
    record.table(Table.CURVES, record.curves)
    record.table(Table.CLICKS, rows)
    record.table(GROUPS, groups)
    record.table(USERS, [user_row(log)])
    record.table(Table.SPENT, [spent_row(session, settings)])
    record.learner(DECODER, at(session.state[1][DECODER].learner, run.rows))
    record.numbers(numbers(rows))
    record.entries(**cost(session, [run]), targets=log.size)


def numbers(rows: list[dict]) -> dict[str, float | None]:
    """Return the headline numbers, ANSWERER.METRIC and gap.METRIC, with errors over users and seeds.

    Args:
        rows: of clicks.csv.
    """
    names = dict.fromkeys(row[Clicks.ANSWERS] for row in rows)
    wanted = {f"{name}.{metric}": (name, metric) for name in names for metric in METRICS}
    wanted |= {f"gap.{metric}": (STREAMING, f"gap.{metric}") for metric in METRICS if STREAMING in names}
    return metric_numbers(rows, wanted, same_users=True)


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


def group_rows(
    answers: dict[str, np.ndarray], fixed: dict[str, np.ndarray], label: np.ndarray, user: np.ndarray
) -> list[dict]:
    """Return the rows of groups.csv; arguments as in `seed_rows`."""
    weight_GxU, rows = left_out(int(user[-1]) + 1), []
    if len(weight_GxU) < 2:
        return []
    for name, logits_PxR in (answers | {name: logit[None] for name, logit in fixed.items()}).items():
        of_seeds = [by_groups(label, logit, user, weight_GxU) for logit in logits_PxR]
        parts = {each: np.mean([parts_of_groups(seed[each]) for seed in of_seeds], axis=0) for each in METRICS}
        rows += [
            {Groups.ANSWERS: name, Groups.GROUP: group} | {each: float(part_G[group]) for each, part_G in parts.items()}
            for group in range(len(weight_GxU))
        ]
    return rows


def user_row(log: ClickLog) -> dict:
    """Return the row of users.csv."""
    counts_Ux3 = np.diff(np.asarray(log.bounds), axis=1)
    learns_U, tested_U = counts_Ux3[:, 0] > 0, counts_Ux3[:, 2] > 0
    new = tested_U & ~learns_U
    return {Users.TRAINING: int(learns_U.sum()), Users.TEST: int(tested_U.sum()), Users.NEW: int(new.sum())}


def spent_row(session: LogSession, settings: ClickLogRun) -> dict:
    """Return the row of spent.csv; `targets_per_step` is the mean, as a user's last prompt may have fewer."""
    steps, prompts = settings.train.steps, session.prompts
    return {
        Spent.TARGETS: settings.model.targets,
        Spent.MODELS: session.size,
        Spent.STEPS: steps,
        Spent.PER_STEP: settings.train.batch_size * prompts.num_all_targets / len(prompts),
        Spent.MILLISECONDS: 1e3 * session.watch.seconds["processor"] / (session.size * steps),
        Spent.DEVICE: " + ".join(session.watch.devices) or "unknown",
    }


def test_targets(log: ClickLog) -> tuple[np.ndarray, np.ndarray]:
    """Return labels (R,) of the test targets, and their users, numbered from 0 without those who have none."""
    rows = targets_of(log, "test")
    user = np.searchsorted(Prompts(log, "test", 0, 1).user_starts, rows, side="right")
    return np.asarray(log.label[rows]), np.unique(user, return_inverse=True)[1]
