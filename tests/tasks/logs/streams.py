"""Logs for tests: generated CSV files of any length, and what a sorted log should be, in plain Python."""

import pathlib

import numpy as np

from tasks.logs.log import ClickLog

TASTES, VALUES = 4, 6


def write_csv(path: pathlib.Path, rows: int, users: int, seed: int = 0, at_a_time: int = 20_000) -> None:
    """Columns user, when, clicked, category, brand, in the order of time. P(clicked) is a logistic function of tables
    of (taste, category) and (taste, brand); a fifth of the users change their taste after `at_a_time` rows."""
    rng = np.random.default_rng(seed)
    by_category, by_brand = 1.8 * rng.normal(size=(2, TASTES, VALUES))
    taste, now = rng.integers(0, TASTES, users), 978_300_000
    with open(path, "w", encoding="utf-8") as file:
        file.write("user,when,clicked,category,brand\n")
        for first in range(0, rows, at_a_time):
            count = min(at_a_time, rows - first)
            user, category, brand = (rng.integers(0, most, count) for most in (users, VALUES, VALUES))
            when = now + np.cumsum(rng.integers(0, 3, count))
            now = when[-1]
            logit = by_category[taste[user], category] + by_brand[taste[user], brand]
            clicked = rng.random(count) < 1 / (1 + np.exp(-logit))
            columns = (user.tolist(), when.tolist(), clicked.astype(int).tolist(), category.tolist(), brand.tolist())
            file.writelines(f"u{u},{t},{y},c{c},b{b}\n" for u, t, y, c, b in zip(*columns, strict=True))
            taste = np.where(rng.random(users) < 0.2, rng.integers(0, TASTES, users), taste)


def sorted_log(rows: list[tuple], slots: tuple[int, ...]) -> list[tuple]:
    """(user, time, label, features, split), sorted, of (user, time, label, features) in the order of a file. A feature
    that is None is absent; one that no training interaction has in a feature of the same slot is "unknown"."""
    times = sorted(row[1] for row in rows)
    boundaries = [times[len(rows) * tenths // 10] for tenths in (8, 9)]
    split = [sum(row[1] >= boundary for boundary in boundaries) for row in rows]
    training = [row[3] for row, s in zip(rows, split, strict=True) if s == 0]
    seen = {(slot, value) for features in training for slot, value in zip(slots, features, strict=True)}
    order = sorted(range(len(rows)), key=lambda i: (rows[i][0], rows[i][1], i))
    told = []
    for i in order:
        user, time, label, features = rows[i]
        named = tuple(
            value if value is None or (slot, value) in seen else "unknown"
            for slot, value in zip(slots, features, strict=True)
        )
        told.append((user, time, label, named, split[i]))
    return told


def told_by(log: ClickLog) -> list[tuple]:
    """The same of a log, whose users are numbered; token by token."""
    tokens, told = log.tokens(), []
    for user, (start, validation, test, end) in enumerate(log.bounds.tolist()):
        for row in range(start, end):
            split = (row >= validation) + (row >= test)
            features = tuple(named(log, tokens, slot, token) for slot, token in enumerate(log.features[row].tolist()))
            told.append((user, int(log.time[row]), int(log.label[row]), features, split))
    return told


def named(log: ClickLog, tokens: list[str | None], slot: int, token: int) -> str | None:
    if token == -1:
        return None
    column = log.slots[slot]
    assert log.starts[column] <= token < log.starts[column + 1]
    return tokens[token] if token > log.starts[column] else "unknown"
