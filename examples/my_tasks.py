"""A task, a learner and a figure of one's own, in one file.

    python run.py use=examples/my_tasks.py experiment=plain task=noisy task.noise=0.3 'learners=[shrunk]' figure=floors
    python run.py use=examples/my_tasks.py -m experiment=plain task=noisy task.noise=0.1,0.3,1 'learners=[shrunk]'

Linear regression with noise on the context's targets, and ridge regression whose penalty is meta-trained: the best
penalty is the variance of the noise, which the learner is not told.
"""

import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx

from analysis import figures
from analysis.figures import style
from analysis.figures.cited import own
from analysis.results.column import Column
from analysis.results.declared import claim
from analysis.tables.select import table
from experiments.regression.comparison import own_learners
from lab.layouts.merged import TokenLayout
from lab.learners.learner import Learner
from lab.learners.ridge import Ridge
from lab.learners.roles import Role
from tasks import catalogue, settings
from tasks.plain import Plain
from tasks.task import pytree


@dataclasses.dataclass
class NoisySettings(settings.Plain):
    name: str = "noisy"
    # A float is traced, so values of it train together. --help and reports show the sentence.
    noise: float = settings.nonnegative(0.5, "Standard deviation of the noise on the context's targets.")


@pytree
class Noisy(NoisySettings, Plain):
    """Tokens (x, y + noise). The targets of the queries have no noise."""

    def sample(self, key, batch):
        key_episodes, key_noise = jax.random.split(key)
        episodes = super().sample(key_episodes, batch)
        prompt = episodes.prompt
        noise = self.noise * jax.random.normal(key_noise, prompt.answers.shape)
        return episodes.replace(prompt=prompt.replace(answers=prompt.answers + noise))

    def moments(self):
        raise NotImplementedError  # of the closed form for one step, which has no noise

    def optimal(self, prompt):
        raise NotImplementedError  # what is inherited is optimal without noise


class Shrunk(Learner):
    """Ridge regression with the penalty exp(log_penalty). What a trainer may change is an `nnx.Param`."""

    def __init__(self, layout: TokenLayout):
        self.layout, self.log_penalty = layout, nnx.Param(jnp.zeros(()))

    def __call__(self, prompt):
        return Ridge(self.layout, jnp.exp(self.log_penalty[...]))(prompt)


loss = Column("seeds", "loss", "loss", "Mean loss over the test episodes.", key="learner").where(evaluation="test")


class Floors:
    CAPTION = "The loss of each learner at the end. Bars: one standard error."

    @staticmethod
    def draw(directory):
        figure, axes = style.panels(1, 1, width=5, height=3.6)
        rows = table(directory, "learners")
        losses, errors = [row["mean"] for row in rows], [row["stderr"] for row in rows]
        axes[0, 0].barh([row["learner"] for row in rows], losses, xerr=errors)
        axes[0, 0].set_xlabel("loss")
        return figure

    CLAIMS = (
        claim("A penalty that is learned is no worse than a fixed one.", own(), loss["shrunk"] - loss["ridge"] < 0),
    )


catalogue.register(Noisy)
role = Role("shrunk", "ridge, learned penalty", "#CC6677", "-", "ridge regression whose penalty is meta-trained")
own_learners.register(role, lambda task, key: Shrunk(TokenLayout.of(task)))
figures.register("floors", Floors)
