"""The predictors that a decoder of functions is compared with: one row per name of `baselines.names`.

Regression trees that scikit-learn fits to the examples of a prompt, on the host, are no learners, as JAX cannot trace
them, but they are measured on the same episodes [Garg22].
"""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from experiments.functions.functions.settings import Baselines
from lab.config.choices import Baseline
from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import Averaging, LeastSquares, Nearest
from lab.learners.lasso import Lasso
from lab.learners.learner import Learner
from lab.learners.posterior import Posterior
from lab.learners.prompt_network import PromptNetwork, ValidatedNetwork
from lab.learners.ridge import Ridge
from lab.runs import interrupt
from tasks.episode import Prompt
from tasks.functions.function import FunctionClass
from tasks.functions.real import RealFunctions

LEAST_PENALTY = 1e-6  # of ridge regression without noise, times the inputs' variance 1
START = 0  # seed of the initial weights of networks that are trained on prompts, and of samples of a posterior
SIGN = 1e3  # slope of a logistic curve from which on a label is practically a sign

Make = Callable[[Baselines, FunctionClass, TokenLayout], Learner | list[Learner]]  # of several the best is taken


def _ridge(settings: Baselines, task: FunctionClass, layout: TokenLayout) -> Ridge:
    assert isinstance(task, RealFunctions)  # `Functions.check` says so
    return Ridge(layout, jnp.maximum(task.noise**2, LEAST_PENALTY))


def _networks(settings: Baselines, task: FunctionClass, layout: TokenLayout) -> list[Learner]:
    """Return networks that are trained on all examples of a prompt, one per rate, and one that the prompt chooses.

    That one alone is no strong baseline: it learns its rate and its steps from a few examples that are held out.
    """
    start, rates = jax.random.key(START), settings.network_learning_rates
    size = settings.network_hidden, settings.network_steps
    return [
        *(PromptNetwork(layout, start, *size, rate) for rate in rates),
        ValidatedNetwork(layout, start, *size, rates),
    ]


BASELINES: dict[Baseline, Make] = {
    Baseline.least_squares: lambda settings, task, layout: LeastSquares(layout),
    Baseline.ridge: _ridge,
    Baseline.averaging: lambda settings, task, layout: Averaging(layout),
    Baseline.nearest: lambda settings, task, layout: Nearest(layout),
    Baseline.lasso: lambda settings, task, layout: [Lasso(layout, each) for each in settings.lasso_penalties],
    Baseline.posterior: lambda settings, task, layout: Posterior(
        layout, getattr(task, "slope", SIGN), settings.samples, jax.random.key(START)
    ),
    Baseline.prompt_network: _networks,
}
SLOW = (Baseline.prompt_network, Baseline.posterior)  # measured on `baselines.episodes` only, as the trees are


def learners(settings: Baselines, task: FunctionClass, slow: bool) -> dict[str, list[Learner]]:
    """Return {name: its learners} of the baselines in the settings that are JAX programs.

    A baseline has several learners where one of them is chosen on other episodes.

    Args:
        slow: whether those of `SLOW` are returned, or the others.
    """
    layout = TokenLayout.of(task)
    wanted = [name for name in settings.names if name in BASELINES and (name in SLOW) == slow]
    by_name = {name.value: BASELINES[name](settings, task, layout) for name in wanted}
    return {name: each if isinstance(each, list) else [each] for name, each in by_name.items()}


def on_host(settings: Baselines) -> dict[str, Callable]:
    """Return {name: a function that makes the unfitted model} of the baselines that scikit-learn computes."""
    return {name.value: MAKERS[name] for name in settings.names if name in MAKERS}


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


def tree_answers(make: Callable, prompts: Prompt, places: Sequence[int]) -> np.ndarray:
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
