"""`click_log`: a decoder of click streams is trained on a log of real interactions, tested on its latest, and kept.

From settings to tables; the log is read in parts, from memory-mapped arrays.
"""

from collections.abc import Sequence

import numpy as np

from analysis.tables.columns import Table
from experiments.clicks.click_log import baselines
from experiments.clicks.click_log.evaluation import Evaluator, targets_of
from experiments.clicks.click_log.session import DECODER, LogSession
from experiments.clicks.click_log.settings import ClickLogRun
from experiments.clicks.metrics import by_groups, left_out, parts_of_groups
from experiments.clicks.tables import METRICS, STREAMING, Clicks, Groups, Users, metric_numbers, seed_rows, spent_row
from lab.learners.learner import Learner
from lab.runs import console
from tasks.logs.catalogue import READERS
from tasks.logs.log import ClickLog
from tasks.task import Source
from trainers import loop
from trainers.population import at
from trainers.record import Record
from trainers.slice import RunSlice, alive, cost, runs_of

GROUPS, USERS = "groups", "users"


def run(records: Sequence[Record]) -> None:
    """Train, test and write each run's files. A run goes on from its checkpoint.

    Raises:
        UserError: a directory cannot be written, the device has too little memory, no checkpoint is good.
        DataError: the log cannot be read.
    """
    for record in records:
        _run(record)


def learners(settings: ClickLogRun) -> dict[str, Learner]:
    """The structure of the trained decoder that a run keeps."""
    return LogSession(settings, _log_of(settings)).structures


def _run(record: Record) -> None:
    settings = record.settings
    log = _log_of(settings)
    session = LogSession(settings, log)
    evaluator = Evaluator(session, settings, log)
    runs = runs_of([record], [Source()])
    step = loop.begin(session, runs)
    if step is None:
        for line in notes(settings, log, session):
            record.note(line)
    loop.train(session, evaluator, runs, step)
    if alive(runs):
        write(session, evaluator, runs[0], log)


def notes(settings: ClickLogRun, log: ClickLog, session: LogSession) -> list[str]:
    """Return what a reader of the results should know of the log and of its training."""
    epochs = settings.train.steps * settings.train.batch_size / len(session.prompts)
    size = f"{log.num_users:,} users, {len(log.label):,} interactions, {log.vocabulary_size:,} tokens"
    return [size, *log.notes, f"{settings.train.steps:,} steps are {epochs:.3g} epochs of the training split"]


def _log_of(settings: ClickLogRun) -> ClickLog:
    with console.busy("reading the log"):
        return READERS[settings.data.name].read(settings.data)


def write(session: LogSession, evaluator: Evaluator, run: RunSlice, log: ClickLog) -> None:
    """The test, and the files of the run, of its own rows of the population."""
    record, settings, model = run.record, run.record.settings, run.record.settings.model
    with console.counting_bar("test", evaluator.batches("test")) as advance:
        answers = {name: evaluator.logits("test", name, advance)[run.rows] for name in evaluator.evaluations}
    with console.busy("baselines and errors over users"):
        fixed, notes = baselines.logits(log, model.num_context, settings.eval.baseline)
        tables = test_tables(log, model.targets, run.seeds, answers, fixed)
    for line in notes:
        record.note(line)
    mean_targets = session.prompts.num_all_targets / len(session.prompts)  # a user's last prompt may have fewer
    spent = [spent_row(session, settings, mean_targets)]
    for name, rows in {Table.CURVES: record.curves, **tables, Table.SPENT: spent}.items():
        record.table(name, rows)
    record.learner(DECODER, at(session.state[1][DECODER].learner, run.rows))
    record.numbers(numbers(tables[Table.CLICKS]))
    record.entries(**cost(session.watch, session.size, [run]), targets=log.size)


def test_tables(
    log: ClickLog, targets: int, seeds: Sequence[int], answers: dict[str, np.ndarray], fixed: dict[str, np.ndarray]
) -> dict[str, list[dict]]:
    """Return the tables of all answers to the test targets: clicks, groups and users.

    Args:
        targets: k of the training prompts. answers, fixed: as in `seed_rows`, in the order of rows.
    """
    rows = targets_of(log, "test")
    label, owner = np.asarray(log.label[rows]), np.searchsorted(np.asarray(log.bounds[:, 0]), rows, side="right")
    user = np.unique(owner, return_inverse=True)[1]  # numbered without those who have no test target
    groups = [{Clicks.TARGETS: targets} | row for row in group_rows(answers, fixed, label, user)]
    clicks = seed_rows(targets, seeds, answers, fixed, label, user)
    return {Table.CLICKS: clicks, GROUPS: groups, USERS: [user_row(log)]}


def numbers(rows: list[dict]) -> dict[str, float | None]:
    """Return the headline numbers, ANSWERER.METRIC and gap.METRIC, with errors over users and seeds.

    Args:
        rows: of clicks.csv.
    """
    names = dict.fromkeys(row[Clicks.ANSWERS] for row in rows)
    wanted = {f"{name}.{metric}": (name, metric) for name in names for metric in METRICS}
    wanted |= {f"gap.{metric}": (STREAMING, f"gap.{metric}") for metric in METRICS if STREAMING in names}
    return metric_numbers(rows, wanted, same_users=True)


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
