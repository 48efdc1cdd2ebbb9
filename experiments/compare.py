"""Learners side by side in Python, with no run and no files: `lab.compare("plain", {"mine": mine})`.

result = lab.compare("plain", {"mine": lambda key: Mine(key)})
print(result)                  the losses, and each pair's alignment
result.losses, result.pairs    the same as lists of dictionaries, `pandas.DataFrame(result.pairs)` as data frames
result.plot()                  a figure
result.learners["mine"]        the trained modules, one per seed
"""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence

import jax
import numpy as np
from flax import nnx
from matplotlib.figure import Figure

from analysis.figures.estimates import Estimate, known
from analysis.metrics.alignment import UNDEFINED, align, mean_and_error
from analysis.metrics.answers import Answers, evaluate
from analysis.report.blocks import Number, number
from lab.errors import ConfigError, names_allowed
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.fit_per_query import LeastSquares
from lab.learners.learner import Learner
from lab.learners.roles import ROLES
from lab.runs import console
from tasks.catalogue import TASKS
from tasks.regression import has_squared_error
from tasks.task import Task
from trainers.decoders.evaluation import optimal
from trainers.line_search import line_search
from trainers.recipe import Recipe
from trainers.train import has_parameters, train

Make = Callable[[jax.Array], Learner]  # a key of a seed -> a learner with initial weights of its own
RECIPE = Recipe(steps=1000, batch_size=512, learning_rate=0.002)
SEARCHED = 10_000  # episodes of the line search of gradient descent's rate
METRICS = {  # {metric of `align`: its name in a table}
    "loss_difference": "loss difference", "prediction_l2": "distance of predictions",
    "sensitivity_cosine": "cosine of sensitivities",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Compared:
    """The result of `compare`.

    losses: a row per learner, with `loss` and `stderr`. pairs: a row per pair of learners, with each metric of
    `analysis.metrics.alignment.align` and METRIC.stderr; a loss difference is that of the first minus the other's.
    learners: {name: a module per seed}, trained where they have parameters.
    """

    losses: list[dict]
    pairs: list[dict]
    learners: dict[str, list[Learner]]

    def __str__(self) -> str:
        width = max(len(row["learner"]) for row in self.losses)
        lines = [f"{row['learner']:{width}}  loss {Number(row['loss'], row['stderr']).text(4)}" for row in self.losses]
        for row in self.pairs:
            numbers = (f"{words} {number(row, name).text(4)}" for name, words in METRICS.items())
            lines.append(f"{row['learner']} and {row['other']}: {', '.join(numbers)}")
        return "\n".join(lines)

    def plot(self) -> Figure:
        """Return a figure: the losses, and the cosine of sensitivities of each pair. A notebook shows it once."""
        import matplotlib.pyplot as plt

        from analysis.figures import style

        names = [row["learner"] for row in self.losses]
        cosines = np.eye(len(names))
        for row in self.pairs:
            places = names.index(row["learner"]), names.index(row["other"])
            cosines[places] = cosines[places[::-1]] = row["sensitivity_cosine"]
        labels = [ROLES[name].label if name in ROLES else name for name in names]
        figure, ((left, right),) = style.panels(1, 2, width=9, height=0.45 * len(names) + 1.6)
        errors = [2 * row["stderr"] for row in self.losses]
        left.barh(labels, [row["loss"] for row in self.losses], xerr=errors, color=style.COLOURS[0])
        left.invert_yaxis()
        left.set(title="loss", xlabel="mean; bars are two standard errors")
        right.imshow(cosines, vmin=-1, vmax=1, cmap="RdBu_r")
        right.set_xticks(range(len(names)), labels, rotation=30, ha="right")
        right.set_yticks(range(len(names)), labels)
        right.set_title("cosine of sensitivities")
        right.grid(visible=False)
        for (row, column), cosine in np.ndenumerate(cosines):
            color = "white" if abs(cosine) > 0.7 else "black"
            right.text(column, row, f"{cosine:.2f}", ha="center", va="center", color=color)
        plt.close(figure)  # a notebook shows open figures, and what a cell returns
        return figure


def compare(
    task: Task | str,
    learners: Mapping[str, Learner | Make],
    references: Mapping[str, Learner] | str = "auto",
    *,
    seeds: int = 3,
    recipe: Recipe = RECIPE,
    episodes: int = 2000,
) -> Compared:
    """Train what has parameters, and let all learners answer the same episodes.

    Args:
        task: a task, or the name of one of the lab's.
        learners: {name: a module, or a function from a key to one, so that seeds begin with other weights}. What has
            an `nnx.Param` is trained, by a copy for each seed.
        references: {name: module}, not trained. "auto": gradient descent with one step at its best rate and least
            squares, where the loss is squared error, and the Bayes-optimal answer, where the task knows it.
        seeds: how often everything is trained and evaluated, each time on other episodes. Errors are over seeds, of a
            single one over its episodes.
        recipe: the training of all learners.
        episodes: of each seed's evaluation.

    Raises:
        ConfigError: there is no such task, its inputs are no real numbers, `references` is another word, or two
            learners have one name.
        UserError: what shall answer is no learner, or its answer has not the shape that the task's loss needs.
    """
    for name, count in {"seeds": seeds, "episodes": episodes}.items():
        if count < 1:
            raise ConfigError(f"{name}={count}: must be >= 1")
    if isinstance(task, str):
        if task not in TASKS:
            raise ConfigError(f"task {task!r}: no such task; {names_allowed(task, [*TASKS])}")
        try:
            task = TASKS[task]()
        except TypeError as error:
            raise ConfigError(f"task {task!r}: it is made of data; give a task, and not a name") from error
    query = jax.eval_shape(lambda key: task.sample(key, 1).prompt.query.x, jax.random.key(0))
    if not np.issubdtype(query.dtype, np.inexact):
        raise ConfigError(f"task {type(task).__name__}: its inputs are no real numbers, as sensitivities need")
    if isinstance(references, str):
        if references != "auto":
            raise ConfigError(f"references {references!r}: allowed are 'auto' and {{name: module}}")
        references = references_of(task)
    if twice := {*learners} & {*references}:
        raise ConfigError(f"{sorted(twice)[0]}: a learner and a reference have this name")
    for name, reference in references.items():
        _checked(name, reference, task)
    members: dict[str, list[Learner]] = {name: [] for name in (*learners, *references)}
    measured: list[dict[str, Answers]] = []
    with console.counting_bar("training", seeds * len(learners)) as advance:
        for seed in range(seeds):
            of_training, of_weights, of_episodes = jax.random.split(jax.random.key(seed), 3)
            for name, learner in learners.items():
                initial = learner if isinstance(learner, nnx.Module) else learner(of_weights)
                module, trains = _checked(name, initial, task)
                members[name].append(train(module, task, recipe, of_training)[0] if trains else module)
                advance(f"training {name}, seed {seed}")
            for name, reference in references.items():
                members[name].append(reference)
            here = {name: each[seed] for name, each in members.items()}
            measured.append(evaluate(here, {"test": task}, of_episodes, episodes)["test"])
    losses = [
        {"learner": name} | _number("loss", [np.asarray(answers[name].loss) for answers in measured])
        for name in members
    ]
    for row in losses:
        row["stderr"] = row.pop("loss.stderr")
    return Compared(losses, [_pair(*names, measured) for names in itertools.combinations(members, 2)], members)


def references_of(task: Task) -> dict[str, Learner]:
    """Return what a task's learners are compared with: gradient descent, least squares and the Bayes-optimal answer, as
    far as they are known for it."""
    references: dict[str, Learner] = {}
    if has_squared_error(task):
        layout = TokenLayout.of(task)
        descend = jax.tree_util.Partial(GradientDescent, layout)
        eta = jax.jit(lambda task, key: line_search(descend, 1, task, key, SEARCHED).eta)(task, jax.random.key(0))
        references = {"gradient_descent": GradientDescent(layout, eta), "least_squares": LeastSquares(layout)}
    return references | optimal(task)


def _checked(name: str, module: object, task: Task) -> tuple[Learner, bool]:
    """Return a learner, and whether it can be trained."""
    if not isinstance(module, Learner):
        raise ConfigError(f"{name}: a {type(module).__name__}; it must inherit from lab.learners.learner.Learner")
    return module, has_parameters(name, lambda _: module, task)


def _pair(name: str, other: str, measured: Sequence[Mapping[str, Answers]]) -> dict:
    by_seed = [align(answers[name], answers[other]) for answers in measured]
    row = {"learner": name, "other": other}
    for metric in by_seed[0]:
        row |= _number(str(metric), [np.asarray(each[metric]) for each in by_seed])
    return row


def _number(name: str, of_seeds: Sequence[np.ndarray]) -> dict[str, float]:
    """Return {name: mean over seeds, name.stderr: its error over seeds, of a single seed over its episodes}. An answer
    that is NaN makes its loss NaN; episodes without a cosine alone are left out."""
    each = [mean_and_error(values, undefined=name in UNDEFINED) for values in of_seeds]
    means = {float(seed): float(number["mean"]) for seed, number in enumerate(each)}
    estimate = Estimate(means) if len(means) > 1 else known(means[0.0], each[0]["stderr"])
    return {name: estimate.mean, f"{name}.stderr": estimate.stderr}
