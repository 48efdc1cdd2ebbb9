"""One experiment, from a configuration to the tables, figures and report in its directory."""

import jax
import numpy as np

from analysis import summary as summaries
from analysis.figures import draw
from analysis.report import write_report
from lab import console
from lab.config import Config
from lab.devices import find_devices
from lab.errors import Diverged
from lab.run_directory import RunDirectory, config_hash
from trainers import contestants
from trainers.session import Session


def run(config: Config, directory: RunDirectory, command: str) -> dict:
    """The summary of a run in `directory`; `command` is how to repeat it.

    A directory whose run is done is read and not run again, unless `run.force` is set.

    Raises:
        UserError: the device that was asked for is missing, the directory cannot be written, or the loss diverged.
    """
    find_devices(config.device.require)
    if directory.done and not config.run.force:
        console.already_done(directory)
    else:
        directory.begin(config)
        console.starting(directory, config)
        with console.busy("compiling, line search"):
            session = Session(config)
        curves = _train(session, directory)
        with console.busy("final comparison"):
            _conclude(session, curves, directory, command)
            draw(config.figure, directory)
            write_report(directory)
        directory.finish()
    summary = directory.read_summary()
    console.results(directory, summary)
    return summary


def _train(session: Session, directory: RunDirectory) -> list[dict]:
    """Training with an evaluation every `train.eval_every` steps: the rows of the curves, also in metrics.jsonl."""
    config, rows = session.config, []
    losses_PxS, done = np.full((config.population.seeds, 1), np.nan), 0
    with console.training_bar(config.train.steps) as advance:
        for step in [*range(0, config.train.steps, config.train.eval_every), config.train.steps]:
            if step:
                losses_PxS = session.advance(step - done)
                done = step
                _stop_if_diverged(losses_PxS, step, config.seed)
            seen = session.look()
            _stop_if_not_finite(seen["loss"], step)
            new = summaries.curve_rows(step, config.seed, losses_PxS, seen)
            rows += new
            directory.append_metrics({"seconds": session.watch.total()["total"], "members": new})
            advance(step, float(np.mean(seen["loss"][contestants.SUBJECT]["mean"])), session.watch.seconds["train"])
    return rows


def _conclude(session: Session, curves: list[dict], directory: RunDirectory, command: str) -> None:
    """The final comparison, tables, parameters and summary."""
    config, seen = session.config, session.conclude()
    directory.write_table("curves", curves)
    directory.write_table("learners", summaries.learner_rows(seen["loss"]))
    directory.write_table("alignment", summaries.alignment_rows(seen["alignment"]))
    if config.model.num_layers > 1:
        directory.write_table("layers", summaries.layer_rows(session.conclude_by_layer()))
    directory.write_arrays("parameters", named_leaves(session.learner))
    found = jax.device_get(session.references.eta)
    eta = {"mean": found.eta, "stderr": found.stderr}
    summary = summaries.summarise(config.name, config_hash(config), seen, eta, session.oracle())
    seconds = session.watch.total()
    directory.write_summary(
        summary
        | {
            "notes": contestants.notes(config, session.task),
            "seconds": seconds,
            "steps_per_second": config.train.steps / seconds["train"],
            "command": command,
        }
    )


def named_leaves(tree) -> dict[str, np.ndarray]:
    """{path: array} of a pytree, for a file."""
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def _stop_if_not_finite(losses: dict, step: int) -> None:
    """The last update of a chunk is seen by the validation loss alone, and so is GD++'s meta-training."""
    keys = {contestants.SUBJECT: "train.learning_rate", "gd_plus_plus": "baselines.gd_plus_plus.learning_rate"}
    for name, key in keys.items():
        if name in losses and (np.any(losses[name]["left_out"]) or not np.all(np.isfinite(losses[name]["mean"]))):
            raise Diverged(f"the validation loss of {name} is not a finite number at step {step}; lower {key}")


def _stop_if_diverged(losses_PxS: np.ndarray, step: int, seed: int) -> None:
    bad = np.argwhere(~np.isfinite(losses_PxS))
    if bad.size:
        member, index = bad[np.argmin(bad[:, 1])]
        at = step - losses_PxS.shape[1] + index
        raise Diverged(
            f"the training loss became {losses_PxS[member, index]} at step {at} with seed {seed + member}; "
            "lower train.learning_rate or train.clip_norm"
        )
