"""Tasks whose episodes share something that is drawn once, their world, such as the prototypes of classes.

What a learner learns of its world is one draw. So every seed of a run has another one, and errors over seeds are errors
over worlds, too.
"""

import dataclasses
import typing

from tasks.task import Task


class InWorld(Task):
    """A task with a field `world`, the seed of its world, which is traced (`tasks.settings.a_world`)."""

    world: int

    def of_seed(self, seed: int) -> typing.Self:
        """Return the task in the world of one seed of a run."""
        return dataclasses.replace(self, world=self.world + seed)
