"""Every task by name: one row gives a task its place on the command line and all the tests."""

from tasks.plain import Plain
from tasks.rag_dot import RagDot
from tasks.rag_linear import RagLinear
from tasks.synthetic import Synthetic
from tasks.tabular import Tabular
from tasks.task import Task

SYNTHETIC: dict[str, type[Synthetic]] = {cls.name: cls for cls in (Plain, RagLinear, RagDot)}
TASKS: dict[str, type[Task]] = SYNTHETIC | {Tabular.name: Tabular}
