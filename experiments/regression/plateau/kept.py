"""The order in which the kept seeds of softmax_heads and layer_norm leave their plateau, and the predicted one.

`python -m experiments.regression.plateau.kept` prints Spearman's correlations, docs/results/plateau_kept.csv. The
initial weights are made again from the seeds; nothing is trained.
"""

import csv
import math
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import optax
from scipy.stats import spearmanr

from experiments.regression.plateau import layers
from experiments.regression.plateau.escape import Problem
from lab.config.choices import LayerKind
from lab.layouts.merged import TokenLayout
from lab.learners.linear_transformer import Shape
from trainers import meta
from trainers.recipe import Recipe
from trainers.streams import Stream
from trainers.transformers import STACKS

RESULTS = pathlib.Path("docs/results")
RECIPES = {"softmax_heads": Recipe(3000, 256, learning_rate=0.003), "layer_norm": Recipe(2000, 1024)}
METHODS = {  # {experiment: {predictor: method}}
    name: {"descent": optax.sgd(layers.RATE), "recipe": meta.optimizer(recipe)} for name, recipe in RECIPES.items()
}
MOST = 20_000
FEWEST = 5  # seeds, for a p-value


def crossing(steps: np.ndarray, losses: np.ndarray, level: float) -> float:
    """Return the step at which a curve first crosses a level, between two evaluations in a line; inf if it does not."""
    if not (losses <= level).any():
        return math.inf
    place = int(np.argmax(losses <= level))
    return float(np.interp(-level, -losses[place - 1 : place + 1], steps[place - 1 : place + 1]))


def predicted(experiment: str, part: str, seeds: list[int]) -> dict[str, list[int]]:
    """Return the steps of plain descent and of the recipe's optimiser on the population loss."""
    problem = Problem.of(layers.TASK.moments(), layers.TASK.num_context)
    moments, level = jnp.stack([problem.variance, problem.square]), problem.level(layers.SHARE)
    name, _, heads = part.rpartition("_") if part != "linear" else (part, "", "1")
    shape, scale = Shape(TokenLayout.of(layers.TASK), num_heads=int(heads)), RECIPES[experiment].init_scale

    def begin(seed: int) -> layers.Weights:
        key = jax.random.fold_in(jax.random.key(seed), Stream.parameters)
        return layers.weights_of(STACKS[LayerKind(name)](shape, key, scale))

    begins = [begin(seed) for seed in seeds]
    return {
        predictor: [int(layers.steps_by(method, weights, moments, level, MOST)) for weights in begins]
        for predictor, method in METHODS[experiment].items()
    }


def measured(rows: list[dict[str, str]]) -> float:
    """Return the step at which one seed leaves, from its rows of curves.csv."""
    names = "step", "loss.transformer", "loss.gradient_descent"
    steps, losses, best = (np.array([float(row[name]) for row in rows]) for name in names)
    return crossing(steps, losses, losses[0] - layers.SHARE * (losses[0] - best[0]))


def main() -> None:
    print("experiment,part,seeds,left,predictor,correlation,p")
    for experiment in RECIPES:
        with (RESULTS / experiment / "curves.csv").open() as file:
            rows = list(csv.DictReader(file))
        seeds = sorted({int(row["seed"]) for row in rows})
        for part in dict.fromkeys(row["part"] for row in rows):
            of_part = [row for row in rows if row["part"] == part]
            exits = [measured([row for row in of_part if int(row["seed"]) == seed]) for seed in seeds]
            left = sum(map(math.isfinite, exits))
            for predictor, steps in predicted(experiment, part, seeds).items():
                correlation, p = np.asarray(spearmanr(steps, exits), float)
                chance = f"{p:.4f}" if len(seeds) >= FEWEST else ""
                print(f"{experiment},{part},{len(seeds)},{left},{predictor},{correlation:.3f},{chance}", flush=True)


if __name__ == "__main__":
    main()
