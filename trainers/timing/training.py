"""The training of one point's population as a program, the same that an ordinary run compiles for a chunk."""

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
from trainers.stacks import transformer
from trainers.timing.clock import compiled


@dataclasses.dataclass(frozen=True)
class Training:
    """`around` makes of the Transformer what is trained in its place."""

    settings: Timed
    around: Callable[[Learner], Learner] = lambda learner: learner

    @functools.cached_property
    def population(self) -> Member:
        return members([self.settings_that_fit])

    @functools.cached_property
    def settings_that_fit(self) -> Timed:
        """With a smaller batch where the context is so long that it would hold more than `examples` of it."""
        fits = max(1, self.settings.examples // self.settings.task.num_context)
        train = dataclasses.replace(self.settings.train, batch_size=min(self.settings.train.batch_size, fits))
        return dataclasses.replace(self.settings, train=train)

    @functools.cached_property
    def states(self) -> meta.TrainState:
        return jax.jit(vmap_population(self._begin))(self.population)

    @property
    def recipe(self) -> Recipe:
        return at(self.population, 0).recipe

    @property
    def together(self) -> int:
        """Members that are trained side by side."""
        chunk, batch = self.settings.population.chunk, self.recipe.batch_size
        return chunk or together(self.task, batch, self.settings.population.seeds)

    @property
    def turns(self) -> int:
        """How often a step is taken for a part of what there is: of the population, and of a batch."""
        chunks = -(-self.settings.population.seeds // self.together)
        return chunks * turns_of(self.task, self.recipe.batch_size)

    @property
    def task(self) -> Task:
        return at(self.population, 0).task

    def program(self, steps: int) -> tuple[Callable, float]:
        """The first so many steps as a call without arguments, and the seconds that compiling it took."""
        train = in_chunks(
            lambda member, state: meta.train(state, member.task, member.recipe, member.key, steps), self.together
        )
        program, seconds = compiled(train, self.population, self.states)
        return functools.partial(program, self.population, self.states), seconds

    def _begin(self, member: Member) -> meta.TrainState:
        make = transformer(self.settings, member.task)
        return meta.begin(lambda *arguments: self.around(make(*arguments)), member.recipe, member.key)
