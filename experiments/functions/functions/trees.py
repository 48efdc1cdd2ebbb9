"""Regression trees that scikit-learn fits to the examples of a prompt, on the host [Garg22].

They are no learners, as JAX cannot trace them, but they are measured on the same episodes.
"""

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


def _on_signs(make: Callable) -> Callable:
    """Return what makes the same model with signs of the inputs, for which the inner nodes of `decision_tree` ask."""

    def of_signs():
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer

        return make_pipeline(FunctionTransformer(np.sign), make())

    return of_signs


MAKERS: dict[Baseline, Callable] = {
    Baseline.greedy_tree: _greedy_tree,
    Baseline.tree_boosting: _tree_boosting,
    Baseline.sign_tree: _on_signs(_greedy_tree),
    Baseline.sign_boosting: _on_signs(_tree_boosting),
}


def answers(make: Callable, prompts: Prompt, places: Sequence[int]) -> np.ndarray:
    """Return the answers (B, len(places)) to the queries at those places.

    For each query a model is fitted to the examples that the query sees; the answer is 0 where it sees none.

    Args:
        make: returns an unfitted model.
        prompts: B prompts with `visible`.
    """
    x_BxNxX, y_BxN = np.asarray(prompts.context.x), np.asarray(prompts.answers)[..., 0]
    query_BxQxX, visible_BxQxN = np.asarray(prompts.query.x), np.asarray(prompts.visible)
    result = np.zeros((len(x_BxNxX), len(places)))
    for b in range(len(x_BxNxX)):
        interrupt.check()
        for column, q in enumerate(places):
            if (visible_N := visible_BxQxN[b, q]).any():
                model = make().fit(x_BxNxX[b, visible_N], y_BxN[b, visible_N])
                result[b, column] = model.predict(query_BxQxX[b, q : q + 1])[0]
    return result
