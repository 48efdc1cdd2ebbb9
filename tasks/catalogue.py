"""Every task by name: one row makes a task available on the command line and runs all the tests on it.

A file of the user's own adds a row by calling `register`.
"""

import dataclasses
from collections.abc import Sequence
from typing import TypeVar

import jax

from tasks.changing_teacher import Drifting, Switching
from tasks.click_streams import Clicks, OrderedClicks
from tasks.functions.decision_tree import DecisionTree
from tasks.functions.function import FunctionClass
from tasks.functions.labels import Halfspaces, Logistic
from tasks.functions.real import Linear, Quadratic, RealFunctions, ReluNetwork, Sine
from tasks.functions.sparse_linear import SparseLinear
from tasks.hmm_mixture import HmmMixture
from tasks.item_sequences import Items
from tasks.plain import Plain
from tasks.rag_dot import RagDot
from tasks.rag_linear import RagLinear
from tasks.recall import Recall
from tasks.recommend import Recommend
from tasks.settings import Parameters, TaskError, register_schema
from tasks.shifted_classes import ShiftedClasses
from tasks.sine_regression import SineRegression
from tasks.skewed import Skewed
from tasks.symbols import Markov
from tasks.synthetic import Synthetic
from tasks.tabular import Tabular
from tasks.task import Source, Task

T = TypeVar("T", bound=Task)
SYNTHETIC: dict[str, type[Synthetic]] = {cls.name: cls for cls in (Plain, RagLinear, RagDot)}
REAL_FUNCTIONS: dict[str, type[RealFunctions]] = {
    cls.name: cls for cls in (Linear, SparseLinear, Quadratic, ReluNetwork, DecisionTree, Sine)
}
FUNCTIONS: dict[str, type[FunctionClass]] = {**REAL_FUNCTIONS, **{cls.name: cls for cls in (Halfspaces, Logistic)}}
OTHERS: tuple[type[Task], ...] = (
    Skewed, Tabular, ShiftedClasses, Markov, HmmMixture, Clicks, OrderedClicks, Recommend, Items, SineRegression,
    Drifting, Switching, Recall,
)  # fmt: skip
TASKS: dict[str, type[Task]] = {**SYNTHETIC, **{cls.name: cls for cls in OTHERS}, **FUNCTIONS}


def task_of(parameters: Parameters, expected: type[T], sources: Sequence[Source] = ()) -> T:
    """Return the task of some settings, of the class that is asked for.

    Args:
        expected: the class, or one that it inherits from.
        sources: the data that it draws from, where that is not made of numbers.

    Raises:
        TaskError: it is a task of another class.
    """
    (task,) = TASKS[parameters.name].together([parameters], sources)
    if not isinstance(task, expected):
        raise TaskError(f"task={parameters.name}: it is none of {expected.__name__}, which is needed here")
    return task


def register(task: type[Task]) -> None:
    """Make a task of your own available on the command line as `task=NAME`.

    Args:
        task: a class with the decorator `tasks.task.pytree`. One of its bases is the dataclass of its settings, which
            has a name of its own and a default for every field, and inherits from `tasks.settings.Parameters` or, for
            synthetic regression, from `tasks.settings.Regression`.

    Raises:
        TaskError: the class is not of this form, or another task has the name.
    """
    schema = next((base for base in task.__mro__ if _is_settings(base)), None)
    if schema is None or not issubclass(task, Task):
        raise TaskError(f"task {task.__name__}: its bases must be a dataclass of settings and a class of tasks")
    if TASKS.get(schema.name, task) is not task:
        raise TaskError(f"task {schema.name}: the name is taken; taken are {', '.join(TASKS)}")
    try:
        leaf = jax.tree_util.treedef_is_leaf(jax.tree.structure(task()))
    except TypeError as error:  # an abstract method, or a field without a default
        raise TaskError(f"task {schema.name}: {error}") from error
    if leaf:
        raise TaskError(f"task {schema.name}: the class needs the decorator tasks.task.pytree")
    register_schema(schema)
    TASKS[schema.name] = task


def _is_settings(base: type) -> bool:
    return issubclass(base, Parameters) and not issubclass(base, Task) and dataclasses.is_dataclass(base)
