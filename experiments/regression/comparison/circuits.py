"""The circuits of a run's trained Transformer at the end of training, and the tables that are made of them.

    circuits.npz     QK and OV circuits, attention scores, and the read-outs of some episodes, for figures
    weights.csv      the distance of each circuit from that of the constructed Transformer
    linear_path.csv  the loss at points between the two, and its difference from the trained one's on the same episodes
    predictions.csv  the agreement of each layer's read-out with each step of gradient descent
    along.csv        answers of learners to a few prompts along the range of the input, for tasks of one input

They are those of the run's first seed: a mean of matrices over seeds has no meaning.
"""

from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics import circuits
from analysis.metrics.alignment import mean_and_error
from analysis.metrics.answers import Answers
from analysis.metrics.columns import Predictions
from analysis.tables.columns import LinearPath, Table
from analysis.tables.rows import suffixed
from experiments.regression.comparison import baselines, trainees
from experiments.regression.comparison.results import Along, OwnTable
from experiments.regression.comparison.settings import Comparison
from lab.config.choices import Features
from lab.learners.learner import Learner
from lab.learners.linear_transformer import Shape
from tasks.episode import Episode
from tasks.task import Task
from trainers import transformers
from trainers.record import Record

EPISODES = 1000  # most episodes that attention and read-outs are averaged over
EXAMPLES = 32  # most context examples that attention maps show
POINTS = 300  # most episodes of a scatter plot
PROMPTS = 3  # in the table `along`
TARGET, CONTEXT = "target", "context"  # in its column of learners: the function itself, and the examples of it

MODELS = (trainees.SUBJECT, "constructed")
OF_INPUTS, OF_FEATURES = ("gradient_descent", "gd_plus_plus"), (baselines.OWN, trainees.LEARNED)


def measure(settings: Comparison, models: Sequence[Learner], task: Task, episodes: Episode) -> dict:
    """Compute all that needs the weights of the models, in one program. For one head per layer.

    Args:
        models: those of `MODELS`; if they have learned features, these are the same.
        episodes: B episodes, on which scores and losses are measured.

    Returns:
        `matrices`: {model: its normalised circuits by block}. `attention`: {model: scores}, those of one episode
        (`one`) and their mean absolute value over episodes (`mean`; scores have both signs, so a mean would be near 0).
        `path`: losses (W, B) at the weights of the linear path.
    """
    trained, built = (circuits.transformer_of(model) for model in models)
    both = jax.tree.map(lambda *leaves: jnp.stack(leaves), trained, built)
    embedded = circuits.as_seen(models[0], episodes)
    few, examples = jax.tree.map(lambda leaf: leaf[:EPISODES], embedded), min(EXAMPLES, settings.task.num_context)
    scores = jax.vmap(lambda model: circuits.layers_of_each(model, few.prompt, examples).scores)(both)
    matrices = jax.vmap(circuits.circuits_of)(both)
    return {
        "matrices": {
            name: jax.tree.map(lambda leaf, i=i: leaf[i, :, 0], vars(matrices)) for i, name in enumerate(MODELS)
        },
        "attention": {
            name: {"one": scores[i, 0], "mean": jnp.mean(jnp.abs(scores[i]), axis=0)} for i, name in enumerate(MODELS)
        },
        "path": circuits.linear_path(trained, built, jnp.asarray(circuits.WEIGHTS, float), task, embedded),
    }


def first_readouts(answers: Mapping[str, Answers]) -> dict[str, np.ndarray]:
    """Return {learner: (B, L)}, the first output of the answer to the first query after each layer or step.

    The learners are the Transformer and those that `prediction_rows` compares it with, if they have as many steps.
    """
    compared = (trainees.SUBJECT, *(OF_FEATURES if baselines.OWN in answers else OF_INPUTS))
    readouts = {name: np.asarray(answers[name].readouts[:EPISODES, :, 0, 0]) for name in compared if name in answers}
    return {name: each for name, each in readouts.items() if each.shape == readouts[trainees.SUBJECT].shape}


def write(settings: Comparison, record: Record, shape: Shape, measured: dict) -> None:
    """Write the files of this module.

    Args:
        measured: NumPy arrays: under `readouts` the result of `first_readouts`; where there are circuits to compare the
            results of `measure`; `along` and `copying` as `evaluation.Evaluator.inspect` adds them.
    """
    layout = shape.layout
    arrays = {f"readouts.{name}": readouts_BxL[:POINTS] for name, readouts_BxL in measured["readouts"].items()}
    record.table(Table.PREDICTIONS, prediction_rows(measured["readouts"]))
    if "along" in measured:
        record.table(OwnTable.ALONG, measured["along"])
    for name, dependence_TxT in measured.get("copying", {}).items():
        arrays[f"copying.{name}"] = dependence_TxT
    if "matrices" in measured:
        of_models = measured["matrices"]  # matrices of documents are empty where there are no documents
        matrices = {name: {key: each for key, each in of_models[name].items() if each.size} for name in MODELS}
        record.table(Table.WEIGHTS, circuits.distance_rows(shape, *matrices.values()))
        record.table(Table.LINEAR_PATH, path_rows(measured["path"]))
        arrays |= {f"{name}.{matrix}": a for name, each in matrices.items() for matrix, a in each.items()}
        arrays |= {
            f"attention.{name}.{kind}": a for name, maps in measured["attention"].items() for kind, a in maps.items()
        }
        names = ["phi"] if settings.model.features is not Features.inputs else [name for name, _ in layout.fields]
        widths = [width for _, width in layout.fields]
        arrays |= {"slots": np.array([*names, "y"]), "widths": np.array([*widths, layout.answer_dim])}
        arrays |= {"num_context": np.array(settings.task.num_context)}
    record.arrays("circuits", arrays)


def along_rows(answers: Mapping[str, Answers], episodes: Episode) -> list[dict]:
    """Return the rows of along.csv.

    Args:
        answers: of the learners, (B, Q, A) each.
        episodes: B episodes, whose queries lie on a grid (`tasks.wrapper`).
    """
    curves = {TARGET: episodes.target} | {name: each.prediction for name, each in answers.items()}
    x_BxQ, prompt = episodes.prompt.query.x[..., 0], episodes.prompt
    points = [(name, x_BxQ, curve_BxQxA[..., 0]) for name, curve_BxQxA in curves.items()]
    points.append((CONTEXT, prompt.context.x[..., 0], prompt.answers[..., 0]))
    return [
        {Along.PROMPT: index, Along.LEARNER: name, Along.X: float(x), Along.ANSWER: float(value)}
        for index in range(len(x_BxQ))
        for name, x_BxM, values_BxM in points
        for x, value in zip(np.asarray(x_BxM)[index], np.asarray(values_BxM)[index], strict=True)
    ]


def prediction_rows(readouts: dict[str, np.ndarray]) -> list[dict]:
    """Return the rows of predictions.csv.

    Args:
        readouts: {learner: (B, L)}.
    """
    subject = readouts[trainees.SUBJECT]
    return [
        {Predictions.WITH: name, Predictions.LAYER: layer} | numbers
        for name in (*OF_INPUTS, *OF_FEATURES)
        if name in readouts
        for layer, numbers in enumerate(circuits.agreement(subject, readouts[name]), start=1)
    ]


def path_rows(losses_WxB: np.ndarray) -> list[dict]:
    """Return the rows of linear_path.csv.

    Args:
        losses_WxB: the losses at `circuits.WEIGHTS`.
    """
    trained_B = losses_WxB[np.flatnonzero(circuits.WEIGHTS == 0)[0]]
    with np.errstate(invalid="ignore", over="ignore"):  # on the line beyond the two models a deep stack can diverge
        return [
            {LinearPath.WEIGHT: weight, LinearPath.EPISODES: len(losses_B)}
            | _statistics(LinearPath.LOSS, losses_B)
            | _statistics(LinearPath.ABOVE_TRAINED, losses_B.astype(np.float64) - trained_B)
            for weight, losses_B in zip(circuits.WEIGHTS.tolist(), losses_WxB, strict=True)
        ]


def _statistics(name: str, values_B: np.ndarray) -> dict[str, float]:
    statistics = {key: float(number) for key, number in mean_and_error(values_B).items() if key != "left_out"}
    return {name + suffix: number for suffix, number in suffixed(statistics)}


def notes(settings: Comparison, seeds: list[int]) -> list[str]:
    """Return notes for a reader of the figures: which seed they show, and which are missing."""
    lines = []
    if len(seeds) > 1:
        lines.append(f"the pictures of matrices, attention and layers are those of seed {seeds[0]} alone")
    if not transformers.has_circuits(settings):
        why = transformers.why_no_circuits(settings)
        lines.append(f"no pictures of matrices, attention and the linear path: {why}")
    return lines
