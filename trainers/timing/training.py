"""The training of one point's population as a program that can be timed, the same that an ordinary run compiles."""

import dataclasses
import functools
from collections.abc import Callable

import jax

from lab.config.timed import Timed
from lab.learners.learner import Learner
from tasks.task import Task
from trainers import meta
from trainers.batches import together, turns_of
from trainers.population import Member, at, in_chunks, members, vmap_population
from trainers.recipe import Recipe
from trainers.timing.ceilings import counted, operations
from trainers.timing.clock import compiled
from trainers.timing.study import Program, of_steps
from trainers.transformers import transformer


@dataclasses.dataclass(frozen=True)
class Training:
    """The training of the Transformer that some settings describe.

    settings: the Transformer, its task and its training.
    wrap: returns the learner that is trained in place of the Transformer; by default that itself.
    """

    settings: Timed
    wrap: Callable[[Learner], Learner] = lambda learner: learner

    @functools.cached_property
    def population(self) -> Member:
        """Return the population of the settings' seeds."""
        return members([self.settings_that_fit])

    @functools.cached_property
    def settings_that_fit(self) -> Timed:
        """Return the settings, with a batch that is small enough to have at most `examples` context examples."""
        fits = max(1, self.settings.examples // self.settings.task.num_context)
        train = dataclasses.replace(self.settings.train, batch_size=min(self.settings.train.batch_size, fits))
        return dataclasses.replace(self.settings, train=train)

    @functools.cached_property
    def states(self) -> meta.TrainState:
        """Return the states of the population before the first step."""
        return jax.jit(vmap_population(self._begin))(self.population)

    @property
    def recipe(self) -> Recipe:
        """Return the recipe of the first member; members differ in their seed alone."""
        return at(self.population, 0).recipe

    @property
    def together(self) -> int:
        """Return how many members are trained side by side."""
        chunk, batch = self.settings.population.chunk, self.recipe.batch_size
        return chunk or together(self.task, batch, self.settings.seeds)

    @property
    def turns(self) -> int:
        """Return the number of parts into which a step is divided: parts of the population times parts of a batch."""
        chunks = -(-self.settings.seeds // self.together)
        return chunks * turns_of(self.task, self.recipe.batch_size)

    @property
    def task(self) -> Task:
        """Return the task of the first member."""
        return at(self.population, 0).task

    @functools.cached_property
    def one(self) -> jax.stages.Compiled:
        """Return the program of one step."""
        return compiled(self.train(1), self.population, self.states)

    def call(self, steps: int) -> Callable:
        """Return the first `steps` training steps as a call without arguments, compiled."""
        program = self.one if steps == 1 else compiled(self.train(steps), self.population, self.states)
        return functools.partial(program, self.population, self.states)

    def timed(self, seconds: float, **further) -> Program:
        """Return the program with as many training steps as take about `seconds`."""
        return of_steps(seconds, self.call, **further)

    def counted(self) -> dict[str, float]:
        """Return the operations and the traffic of a training step of the population."""
        return counted(self.one, operations(self.train(1), self.population, self.states), self.turns)

    def train(self, steps: int) -> Callable:
        """Return the function (population, states) -> (states after so many steps, losses)."""
        return in_chunks(
            lambda member, state: meta.train(state, member.task, member.recipe, member.key, steps), self.together
        )

    def _begin(self, member: Member) -> meta.TrainState:
        make = transformer(self.settings, member.task)
        return meta.begin(lambda key, init_scale: self.wrap(make(key, init_scale)), member.recipe, member.key)
