"""The learners that answer prompts in a search. A decoder is trained first, by the study (`trainers.recommenders`)."""

from collections.abc import Callable

from experiments.demonstrations.demonstrations.settings import Demonstrations
from lab.config.choices import Recommender
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.learner import Learner
from lab.learners.ridge import Ridge
from tasks.recommend import Recommend


def descent(settings: Demonstrations, task: Recommend) -> Learner:
    """Return one step of gradient descent; its rate scales all scores alike and changes no rank."""
    return GradientDescent(TokenLayout.of(task), 1.0)


def ridge(settings: Demonstrations, task: Recommend) -> Learner:
    """Return ridge regression."""
    return Ridge(TokenLayout.of(task), settings.penalty)


UNTRAINED: dict[Recommender, Callable[[Demonstrations, Recommend], Learner]] = {
    Recommender.descent: descent,
    Recommender.ridge: ridge,
}
