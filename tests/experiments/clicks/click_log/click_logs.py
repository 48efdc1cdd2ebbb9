"""A small log in memory and sessions on it, for tests of `click_log` from the inside."""

import numpy as np

from experiments.clicks.click_log.session import LogSession
from experiments.clicks.click_log.settings import ClickLogRun, LogEval, LogModel, LogTrain
from lab.layouts.stream import NOTHING
from tasks.logs.log import ClickLog

USERS, LONGEST = 9, 30


def log_of(seed=0) -> ClickLog:
    """In memory: two columns of four and five tokens, of which the first has two features; a third of them absent."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, LONGEST, (USERS, 3))
    lengths[0] = (3, 2, 1)
    ends = np.cumsum(lengths).reshape(-1, 3)
    bounds = np.concatenate([ends[:, :1] - lengths[:, :1], ends], axis=1)
    rows, starts = int(ends[-1, -1]), (0, 4, 9)
    features = np.stack([rng.integers(1, 4, rows), rng.integers(1, 4, rows), rng.integers(5, 9, rows)], axis=1)
    features = np.where(rng.random(features.shape) < 1 / 3, NOTHING, features).astype(np.int32)
    label = rng.integers(0, 2, rows).astype(np.int8)
    return ClickLog(None, features, label, np.arange(rows), bounds, ("a", "b"), (0, 0, 1), starts, (0, 0), ())


LOG = log_of()


def settings_of(seeds=1, train=None, **model) -> ClickLogRun:
    small = {"num_context": 3, "targets": 4, "num_layers": 2, "width": 8, "num_heads": 2, "mlp_width": 8}
    return ClickLogRun(
        model=LogModel(**small | model),
        train=LogTrain(**{"steps": 20, "batch_size": 5, "eval_every": 8} | (train or {})),
        eval=LogEval(targets=30),
        seeds=seeds,
    )


def begun(settings) -> LogSession:
    result = LogSession(settings, LOG)
    result.start()
    return result
