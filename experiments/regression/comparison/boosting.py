"""Gradient boosting, the usual method for a table, fitted to the whole training split.

It sees every training row and no context, so it is no in-context learner; its loss is measured on the same test rows.
"""

import numpy as np

from analysis.metrics.alignment import mean_and_error
from tasks.task import Source


def losses(source: Source, seeds: int) -> dict[str, dict]:
    """Return {"boosting": statistics of 1/2 squared error over the test rows}, or nothing if the task has no table.

    Rows count equally, as all are queries of episodes equally often. Each statistic is repeated `seeds` times.
    """
    if not source.splits:
        return {}
    from sklearn.ensemble import HistGradientBoostingRegressor

    (train_x, train_y), (test_x, test_y) = (source.splits[name] for name in ("train", "test"))
    model = HistGradientBoostingRegressor(random_state=0).fit(train_x, train_y[:, 0])
    statistics = mean_and_error(0.5 * np.square(model.predict(test_x) - test_y[:, 0]), np.arange(len(test_y)))
    return {"boosting": {name: np.broadcast_to(value, (seeds, *np.shape(value))) for name, value in statistics.items()}}
