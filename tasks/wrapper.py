"""Base class of a task that changes another one."""

import jax

from tasks.task import Task


class Wrapper(Task):
    """A task that has the features, the sizes and the loss of its field `task`, unless a subclass overrides them.

    It comes first among the bases of a dataclass that has a field `task`.
    """

    task: Task

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return self.task.features

    @property
    def num_context(self) -> int:
        return self.task.num_context

    @property
    def answer_dim(self) -> int:
        return self.task.answer_dim

    @property
    def document_width(self) -> int:
        return self.task.document_width

    @property
    def loss_name(self) -> str:
        return self.task.loss_name

    @property
    def scoring(self) -> Task:
        return self.task.scoring

    def loss(self, answer_QxA: jax.Array, target) -> jax.Array:
        return self.task.loss(answer_QxA, target)

    def scores(self, answer_QxA: jax.Array, target) -> dict[str, jax.Array]:
        return self.task.scores(answer_QxA, target)
