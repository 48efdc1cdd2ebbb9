"""Trees that scikit-learn fits to the examples of a prompt, on the host [Garg22]: no learners, as nothing of them is
traced, but measured on the same episodes after the same numbers of examples."""

from collections.abc import Callable, Sequence

import numpy as np

from lab.config.choices import Baseline
from lab.runs import interrupt
from tasks.episode import Prompt


def _greedy_tree():
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(random_state=0)


def _tree_boosting():
    from sklearn.ensemble import GradientBoostingRegressor

    return GradientBoostingRegressor(n_estimators=50, learning_rate=0.1, max_depth=4, random_state=0)


MAKERS: dict[Baseline, Callable] = {Baseline.greedy_tree: _greedy_tree, Baseline.tree_boosting: _tree_boosting}


def answers(make: Callable, prompts: Prompt, places: Sequence[int]) -> np.ndarray:
    """(B, len(places)): answers to the queries at those places, each fitted to the examples that it sees; 0 where it
    sees none."""
    x_BxNxX, y_BxN = np.asarray(prompts.context.x), np.asarray(prompts.answers)[..., 0]
    query_BxQxX, visible_BxQxN = np.asarray(prompts.query.x), np.asarray(prompts.visible)
    result = np.zeros((len(x_BxNxX), len(places)))
    for b in range(len(x_BxNxX)):
        interrupt.check()
        for column, q in enumerate(places):
            if (seen := visible_BxQxN[b, q]).any():
                model = make().fit(x_BxNxX[b, seen], y_BxN[b, seen])
                result[b, column] = model.predict(query_BxQxX[b, q : q + 1])[0]
    return result
