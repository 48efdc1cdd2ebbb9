"""Every task by name: one row gives a task its place on the command line and all the tests."""

from tasks.plain import Plain
from tasks.rag_dot import RagDot
from tasks.rag_linear import RagLinear
from tasks.tabular import Tabular
from tasks.task import Task

TASKS: dict[str, type[Task]] = {cls.name: cls for cls in (Plain, RagLinear, RagDot, Tabular)}
