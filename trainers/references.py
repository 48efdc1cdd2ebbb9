"""What gradient descent and GD++ need before they can be compared with: the line search, and GD++'s meta-training."""

import dataclasses

import jax
import jax.numpy as jnp

from lab.config import Config
from lab.learners.gd_plus_plus import GDPlusPlus
from lab.tokens import TokenLayout
from trainers import contestants, meta
from trainers.contestants import References
from trainers.line_search import line_search
from trainers.population import Member, Stream


def prepare(config: Config, member: Member) -> References:
    """For one member; all from streams of random numbers of their own."""
    key, episodes = member.stream(Stream.line_search), config.baselines.line_search_episodes
    descent = contestants.descent_of(config, member)
    eta = line_search(descent, config.model.num_layers, member.task, key, episodes)
    return References(eta, _gd_plus_plus(config, member, eta.eta))


def _gd_plus_plus(config: Config, member: Member, eta: jax.Array) -> GDPlusPlus:
    """Meta-trained from gradient descent's rate by the ordinary trainer.

    With one step there is nothing to learn: gamma acts after the step, and the rate is the line search's.
    """
    settings, layout = config.baselines.gd_plus_plus, TokenLayout.of(member.task)
    w_0 = contestants.initial_model(member, layout)

    def make(key, init_scale) -> GDPlusPlus:
        return GDPlusPlus(layout, eta, config.model.num_layers, settings.shared, config.model.clip, w_0)

    if config.model.num_layers == 1:
        return make(None, None)
    schedule = meta.Schedule(settings.steps, settings.batch_size)
    apart = dataclasses.replace(
        member, key=member.stream(Stream.gd_plus_plus), learning_rate=jnp.asarray(settings.learning_rate)
    )
    return meta.train(meta.init(apart, schedule, make), apart, schedule, settings.steps)[0].learner
