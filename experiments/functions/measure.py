"""Errors of a decoder and of the baselines after every number of examples, on the same episodes.

An error is the loss divided by the mean loss of the answer 0; for real functions it is the squared error over E f^2.
"""

from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_and_error
from experiments.functions import trees
from experiments.functions.baselines import learners, on_host
from experiments.functions.settings import Functions
from lab.learners.learner import Learner
from lab.runs import interrupt
from tasks.episode import Episode
from tasks.functions.function import FunctionClass
from trainers.decoders.evaluation import optimal
from trainers.decoders.prefixes import answers, episodes_of, errors
from trainers.streams import Stream


def by_examples(
    settings: Functions, task: FunctionClass, trained: Mapping[str, Learner], key: jax.Array
) -> dict[str, dict[int, dict]]:
    """Return {learner: {number of examples: mean error and its standard error over episodes}}.

    The slow baselines are measured on the first `baselines.episodes` of the episodes only.

    Args:
        trained: {name: learner} that are measured in addition to the baselines and the optimal answer.
        key: draws the episodes.
    """
    episodes = episodes_of(task, key, settings.eval.episodes)
    first_episodes = jax.tree.map(lambda leaf: leaf[: settings.baselines.episodes], episodes)
    result = {}
    alone = {name: [each] for name, each in (dict(trained) | optimal(task)).items()}
    everyone = alone | learners(settings.baselines, task, slow=False)
    slow = learners(settings.baselines, task, slow=True)
    for group, group_episodes in ((everyone, episodes), (slow, first_episodes)):
        for name, candidates in group.items():
            interrupt.check()
            errors_BxQ = best_errors(task, candidates, group_episodes, jax.random.fold_in(key, Stream.choice))
            result[name] = {count: mean_and_error(errors_BxQ[:, count]) for count in range(errors_BxQ.shape[1])}
    counts = range(0, task.num_context, settings.baselines.every)
    for name, make in on_host(settings.baselines).items():
        answer_BxC = jnp.asarray(trees.answers(make, first_episodes.prompt, counts))
        errors_BxQ = np.asarray(errors(task, answer_BxC[..., None], first_episodes.target[:, np.array(counts)]))
        result[name] = {count: mean_and_error(errors_BxQ[:, column]) for column, count in enumerate(counts)}
    return result


def best_errors(task: FunctionClass, candidates: Sequence[Learner], episodes: Episode, key: jax.Array) -> np.ndarray:
    """Return errors (B, Q) on the episodes of the candidate that is best after each number of examples.

    Which one that is is decided on as many other episodes, which `key` draws.
    """

    def errors_on(some: Episode) -> np.ndarray:
        return np.stack([np.asarray(errors(task, answers(each, some), some.target)) for each in candidates])

    errors_CxBxQ = errors_on(episodes)
    if len(candidates) == 1:
        return errors_CxBxQ[0]
    others = episodes_of(task, key, errors_CxBxQ.shape[1])
    best_Q = np.argmin(errors_on(others).mean(axis=1), axis=0)
    return np.take_along_axis(errors_CxBxQ, best_Q[None, None], axis=0)[0]
