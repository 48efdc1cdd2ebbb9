"""What a user would otherwise pick for a table: gradient boosting, fitted to the whole training split.

It sees every training row and no context, so it is no in-context learner; its loss is that of the same test rows.
"""

import numpy as np

from analysis.metrics.alignment import mean_and_error
from tasks.task import Source


def losses(source: Source, seeds: int) -> dict[str, dict]:
    """{"boosting": statistics of 1/2 squared error over the test rows}, the same for each seed; nothing where there is
    no table. All rows are queries of episodes equally often."""
    if not source.splits:
        return {}
    from sklearn.ensemble import HistGradientBoostingRegressor

    (train_x, train_y), (test_x, test_y) = (source.splits[name] for name in ("train", "test"))
    model = HistGradientBoostingRegressor(random_state=0).fit(train_x, train_y[:, 0])
    of = mean_and_error(0.5 * np.square(model.predict(test_x) - test_y[:, 0]), np.arange(len(test_y)))
    return {"boosting": {name: np.repeat(value, seeds) for name, value in of.items()}}
