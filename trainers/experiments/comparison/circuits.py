"""Looking inside the trained Transformer of a run, at its end: one program, and from what it finds a run's tables.

    circuits.npz       matrices, attention scores, and the read-outs of some episodes: what the figures show as pictures
    weights.csv      the distance of each matrix from the constructed Transformer's
    straight_line.csv  the loss at each place between the two, and paired, what it is above the trained one's
    predictions.csv  how the read-out of each layer agrees with each step of gradient descent

Of one member of the population: its seeds are like one another, and matrices of several have no mean.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics import circuits
from analysis.metrics.alignment import mean_and_error
from analysis.tables.rows import suffixed
from lab.config.choices import Features
from lab.config.comparison import Config
from lab.learners.learner import Learner, readouts
from lab.learners.linear_transformer import Shape
from lab.runs.directory import RunDirectory
from tasks.episode import Episode
from tasks.task import Task
from trainers.experiments.comparison import baselines

EPISODES = 1000  # that attention and read-outs are averaged over, at most
EXAMPLES = 32  # of the context that attention maps show, at most
POINTS = 300  # episodes of a scatter, at most

MODELS = (baselines.SUBJECT, "constructed")
OF_INPUTS, OF_FEATURES = ("gradient_descent", "gd_plus_plus"), (baselines.OWN, baselines.LEARNED)


def look(config: Config, learners: Mapping[str, Learner], task: Task, episodes: Episode) -> dict:
    """All that is computed, in one program: `learners` are those of the curve, with no population's axis. Scores in one
    episode (`one`), and their mean absolute value over episodes (`mean`): they have either sign, and a mean near 0."""
    few = jax.tree.map(lambda leaf: leaf[:EPISODES], episodes)
    others = OF_INPUTS if config.model.features is Features.inputs else OF_FEATURES
    said = {name: _readouts(learners[name], few) for name in others if name in learners}
    if config.model.num_heads > 1:
        return {"readouts": said | {baselines.SUBJECT: _readouts(learners[baselines.SUBJECT], few)}}
    models = [circuits.transformer_of(learners[name]) for name in MODELS]
    both = jax.tree.map(lambda *leaves: jnp.stack(leaves), *models)
    seen = circuits.as_seen(learners[baselines.SUBJECT], episodes)  # by both: they have the same features
    few, examples = jax.tree.map(lambda leaf: leaf[:EPISODES], seen), min(EXAMPLES, config.task.num_context)
    layers = jax.vmap(lambda model: jax.vmap(lambda one: circuits.layers(model, one, examples))(few.prompt))(both)
    matrices = jax.vmap(circuits.effective)(both)
    return {
        "readouts": said | {baselines.SUBJECT: layers.readouts[0, :, :, 0, 0]},
        "matrices": {name: jax.tree.map(lambda of, i=i: of[i, :, 0], vars(matrices)) for i, name in enumerate(MODELS)},
        "attention": {
            name: {"one": layers.scores[i, 0], "mean": jnp.mean(jnp.abs(layers.scores[i]), axis=0)}
            for i, name in enumerate(MODELS)
        },
        "line": circuits.straight_line(*models, jnp.asarray(circuits.WEIGHTS, float), task, seen),
    }


def _readouts(learner: Learner, episodes: Episode) -> jax.Array:
    """(B, L): what it says after each layer or step to the first query, of the first output."""
    return jax.vmap(lambda prompt: readouts(learner, prompt))(episodes.prompt)[:, :, 0, 0]


def write(config: Config, directory: RunDirectory, shape: Shape, found: dict) -> None:
    """The files, of what `look` found: arrays of NumPy."""
    layout = shape.layout
    arrays = {f"readouts.{name}": of[:POINTS] for name, of in found["readouts"].items()}
    directory.write_table("predictions", prediction_rows(found["readouts"]))
    if "matrices" in found:
        matrices = {name: _used(found["matrices"][name]) for name in MODELS}
        directory.write_table("weights", circuits.distance_rows(shape, *matrices.values()))
        directory.write_table("straight_line", line_rows(found["line"]))
        arrays |= {f"{name}.{matrix}": array for name, of in matrices.items() for matrix, array in of.items()}
        arrays |= {f"attention.{name}.{of}": a for name, maps in found["attention"].items() for of, a in maps.items()}
        names = ["phi"] if config.model.features is not Features.inputs else [name for name, _ in layout.fields]
        widths = [width for _, width in layout.fields]
        arrays |= {"slots": np.array([*names, "y"]), "widths": np.array([*widths, layout.answer_dim])}
        arrays |= {"num_context": np.array(config.task.num_context)}
    directory.write_arrays("inside", arrays)


def _used(matrices: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Without those of documents where there are none."""
    return {name: of for name, of in matrices.items() if of.size}


def prediction_rows(readouts: dict[str, np.ndarray]) -> list[dict]:
    """A row a learner and layer or step."""
    subject = readouts[baselines.SUBJECT]
    return [
        {"with": name, "layer": layer} | numbers
        for name in (*OF_INPUTS, *OF_FEATURES)
        if name in readouts
        for layer, numbers in enumerate(circuits.agreement(subject, readouts[name]), start=1)
    ]


def line_rows(losses_WxB: np.ndarray) -> list[dict]:
    """A row a weight: the loss, and how far it is above the trained Transformer's on the same episodes."""
    trained_B = losses_WxB[np.flatnonzero(circuits.WEIGHTS == 0)[0]]
    with np.errstate(invalid="ignore", over="ignore"):  # beyond the two models a deep stack can diverge
        return [
            {"weight": weight, "episodes": len(losses_B)}
            | _statistics("loss", losses_B)
            | _statistics("above_trained", losses_B.astype(np.float64) - trained_B)
            for weight, losses_B in zip(circuits.WEIGHTS.tolist(), losses_WxB, strict=True)
        ]


def _statistics(name: str, values_B: np.ndarray) -> dict[str, float]:
    of = mean_and_error(values_B)
    return {name + suffix: number for suffix, number in suffixed({key: float(of[key]) for key in ("mean", "stderr")})}


def notes(config: Config, seeds: list[int]) -> list[str]:
    """What a reader of the figures should be told."""
    found = []
    if len(seeds) > 1:
        found.append(f"the pictures of matrices, attention and layers are those of seed {seeds[0]} alone")
    if config.model.num_heads > 1:
        found.append(
            "no pictures of matrices, attention and the straight line: the heads of two models do not correspond"
        )
    return found
