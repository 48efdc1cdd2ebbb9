"""What answers prompts in a search: a row per recommender."""

from collections.abc import Callable

import jax

from experiments.demonstrations.settings import Demonstrations
from lab.config.choices import Recommender
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.learner import Learner
from lab.learners.ridge import Ridge
from tasks.recommend import Recommend
from trainers.recommenders import trained


def descent(settings: Demonstrations, task: Recommend, key: jax.Array) -> Learner:
    """One step; its rate scales all scores alike and changes no rank."""
    return GradientDescent(TokenLayout.of(task), 1.0)


def ridge(settings: Demonstrations, task: Recommend, key: jax.Array) -> Learner:
    return Ridge(TokenLayout.of(task), settings.penalty)


def decoder(settings: Demonstrations, task: Recommend, key: jax.Array) -> Learner:
    return trained(settings.model, settings.train, task, key)


RECOMMENDERS: dict[Recommender, Callable[[Demonstrations, Recommend, jax.Array], Learner]] = {
    Recommender.descent: descent,
    Recommender.ridge: ridge,
    Recommender.decoder: decoder,
}
