"""Learners of the user's own, which `learners=[NAME,...]` adds to the baselines of a comparison.

A learner with parameters (`nnx.Param`) is meta-trained together with the Transformer, by the same recipe on the same
episodes; one without is only compared.
"""

import functools
from collections.abc import Callable, Sequence

import jax

from lab.errors import ConfigError
from lab.learners import roles
from lab.learners.learner import Learner
from tasks.task import Task
from trainers.meta import Make
from trainers.train import has_parameters

MakeOwn = Callable[[Task, jax.Array], Learner]  # (task, key) -> the learner as it is before training

OWN: dict[str, MakeOwn] = {}


def register(role: roles.Role, make: MakeOwn) -> None:
    """Add a learner of your own.

    Args:
        role: its name in `learners=[NAME]` and in tables, and how figures and pages show it.
        make: called under `jax.jit` with the task, whose numbers are traced, and a key for initial parameters.

    Raises:
        UserError: a learner has this name.
    """
    roles.register(role)
    OWN[role.identifier] = make


def require(names: Sequence[str]) -> None:
    """Check that these learners are registered.

    Raises:
        ConfigError: one is not.
    """
    for name in names:
        if name not in OWN:
            allowed = ", ".join(OWN) or "none, as no file of your own (use=FILE.py) has registered one"
            why = "always takes part" if name in roles.ROLES else "no such learner"
            raise ConfigError(f"learners: {name}: {why}; allowed: {allowed}")


def trainees(names: Sequence[str], task: Task) -> dict[str, Make]:
    """Return {name: what makes the untrained learner} of those with parameters, after a check of all answers' shapes.

    Raises:
        UserError: a learner's answer has not the shape that the task's loss needs.
    """
    makes = {name: functools.partial(OWN[name], task) for name in names}
    return {
        name: lambda key, _, make=make: make(key)
        for name, make in makes.items()
        if has_parameters(f"learners: {name}", make, task)
    }
