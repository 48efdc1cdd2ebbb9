"""Losses after every number of examples, divided by that of the answer 0, which of real functions are squared errors
over E f^2: all learners on the same episodes."""

from collections.abc import Mapping

import jax
import numpy as np

from analysis.metrics.alignment import mean_and_error
from experiments.functions import trees
from experiments.functions.baselines import learners, on_host
from experiments.functions.settings import Functions
from lab.learners.learner import Learner
from lab.runs import interrupt
from tasks.functions.function import FunctionClass
from trainers.decoders.evaluation import optimal
from trainers.decoders.prefixes import answers, episodes_of, errors


def by_examples(
    settings: Functions, task: FunctionClass, trained: Mapping[str, Learner], key: jax.Array
) -> dict[str, dict[int, dict]]:
    """{learner: {number of examples: mean error and its standard error over episodes}}.

    The slow baselines are measured on the first of the episodes alone.
    """
    episodes = episodes_of(task, key, settings.test_episodes)
    some = jax.tree.map(lambda leaf: leaf[: settings.baselines.episodes], episodes)
    result = {}
    everyone = dict(trained) | optimal(task) | learners(settings.baselines, task, slow=False)
    for group, shown in ((everyone, episodes), (learners(settings.baselines, task, slow=True), some)):
        for name, learner in group.items():
            interrupt.check()
            errors_BxQ = np.asarray(errors(task, answers(learner, shown), shown.target))
            result[name] = {count: mean_and_error(errors_BxQ[:, count]) for count in range(errors_BxQ.shape[1])}
    places = range(0, task.num_context, settings.baselines.every)
    for name, make in on_host(settings.baselines).items():
        found = trees.answers(make, some.prompt, places)
        errors_BxQ = np.asarray(errors(task, found[..., None], some.target[:, np.array(places)]))
        result[name] = {count: mean_and_error(errors_BxQ[:, column]) for column, count in enumerate(places)}
    return result
