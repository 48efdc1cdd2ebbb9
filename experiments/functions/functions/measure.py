"""Errors of a decoder and of the baselines after every number of examples, on the same episodes.

An error is the loss divided by the mean loss of the answer 0; for real functions it is the squared error over E f^2.
Where the exact Bayes answer is known, each learner's squared distance from it over E f^2 is measured too.
"""

from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.alignment import mean_and_error
from analysis.tables.columns import ByExamples
from experiments.functions.functions.baselines import learners, on_host, tree_answers
from experiments.functions.functions.settings import Functions
from lab.learners.learner import Learner
from lab.runs import interrupt
from tasks.episode import Episode
from tasks.functions.function import FunctionClass
from tasks.functions.real import RealFunctions
from trainers.decoders.evaluation import OPTIMAL, optimal
from trainers.decoders.prefixes import answers, episodes_of, errors
from trainers.streams import Stream


def by_examples(
    settings: Functions, task: FunctionClass, trained: Mapping[str, Learner], key: jax.Array
) -> dict[str, dict[str, dict[int, dict]]]:
    """Return {ERROR or DISTANCE: {learner: {number of examples: its mean and standard error over episodes}}}.

    Distances are from the exact Bayes answer, and are left out where that is not known. The slow baselines are measured
    on the first `baselines.episodes` of the episodes only.

    Args:
        trained: {name: learner} that are measured in addition to the baselines and the exact Bayes answer.
        key: draws the episodes.
    """
    episodes = episodes_of(task, key, settings.eval.episodes)
    first_episodes = jax.tree.map(lambda leaf: leaf[: settings.baselines.episodes], episodes)
    exact = optimal(task)
    alone = {name: [each] for name, each in (dict(trained) | exact).items()}
    everyone = alone | learners(settings.baselines, task, slow=False)
    slow = learners(settings.baselines, task, slow=True)
    answered: dict[str, tuple[jax.Array, Sequence[int]]] = {}  # answers to the first episodes, to which queries
    every = range(task.num_context)
    for group, group_episodes in ((everyone, episodes), (slow, first_episodes)):
        for name, candidates in group.items():
            interrupt.check()
            best = best_answers(task, candidates, group_episodes, jax.random.fold_in(key, Stream.choice))
            answered[name] = best, every
    counts = range(0, task.num_context, settings.baselines.every)
    for name, make in on_host(settings.baselines).items():
        answer_BxC = jnp.asarray(tree_answers(make, first_episodes.prompt, counts))
        answered[name] = answer_BxC[..., None], counts
    targets = {ByExamples.ERROR: episodes.target}  # of all episodes and queries
    if exact and isinstance(task, RealFunctions):
        targets[ByExamples.DISTANCE] = answered[OPTIMAL][0]

    def by_count(target: jax.Array, answer_BxCxA: jax.Array, counts: Sequence[int]) -> dict[int, dict]:
        values_BxC = np.asarray(errors(task, answer_BxCxA, target[: len(answer_BxCxA), np.array(counts)]))
        return {count: mean_and_error(values_BxC[:, column]) for column, count in enumerate(counts)}

    return {
        str(number): {name: by_count(target, *each) for name, each in answered.items()}
        for number, target in targets.items()
    }


def best_answers(task: FunctionClass, candidates: Sequence[Learner], episodes: Episode, key: jax.Array) -> jax.Array:
    """Return answers (B, Q, A) to the episodes, by the candidate that is best after each number of examples.

    Which one that is is decided on as many other episodes, which `key` draws.
    """
    answer_CxBxQxA = jnp.stack([answers(each, episodes) for each in candidates])
    if len(candidates) == 1:
        return answer_CxBxQxA[0]
    others = episodes_of(task, key, answer_CxBxQxA.shape[1])
    error_CxBxQ = np.stack([np.asarray(errors(task, answers(each, others), others.target)) for each in candidates])
    best_Q = jnp.asarray(np.argmin(error_CxBxQ.mean(axis=1), axis=0))
    return jnp.take_along_axis(answer_CxBxQxA, best_Q[None, None, :, None], axis=0)[0]
