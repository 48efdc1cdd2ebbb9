"""One program of runs that differ in numbers alone, from configurations to the tables, figures and report of each."""

import dataclasses
from collections.abc import Sequence

import jax
import numpy as np

from analysis import summary as summaries
from analysis.figures import draw
from analysis.report import write_report
from lab import console
from lab.config import Config
from lab.errors import Diverged
from lab.run_directory import RunDirectory, config_hash
from tasks.catalogue import TASKS
from tasks.task import Source
from trainers import boosting, contestants, shifts
from trainers.session import Session


@dataclasses.dataclass
class Run:
    """A run among those of a program: its members are `rows` of everything that has a population's axis."""

    config: Config
    directory: RunDirectory
    command: str  # how to repeat it
    source: Source = dataclasses.field(default_factory=Source)  # what its task is drawn from
    rows: slice = dataclasses.field(default_factory=lambda: slice(None))
    curves: list[dict] = dataclasses.field(default_factory=list)
    failure: Diverged | None = None  # it takes no further part


def run(runs: Sequence[Run]) -> None:
    """Train and compare, and write each run's files; a run that diverges has its `failure` set, and no DONE.

    Raises:
        UserError: a directory cannot be written, or the device has too little memory.
        DataError: the data cannot be read; nothing is written then.
    """
    configs = [one.config for one in runs]
    with console.busy("reading the data"):
        sources = TASKS[configs[0].task.name].read([of.task for of in configs], [of.data for of in configs])
    for one, source in zip(runs, sources, strict=True):
        one.source = source
    for one, rows in zip(runs, _rows([one.config.population.seeds for one in runs]), strict=True):
        one.directory.begin(one.config)
        one.rows = rows
    console.starting([one.directory for one in runs], configs)
    with console.busy("compiling, line search"):
        session = Session(configs, sources)
    last = _train(session, runs)
    if not _well(runs):
        return
    with console.busy("final comparison"):
        _conclude(session, _well(runs), last)


def _rows(sizes: list[int]) -> list[slice]:
    ends = np.cumsum(sizes).tolist()
    return [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]


def _well(runs: Sequence[Run]) -> list[Run]:
    return [one for one in runs if one.failure is None]


def _train(session: Session, runs: Sequence[Run]) -> dict:
    """Training with an evaluation every `train.eval_every` steps: the rows of the curves, also in metrics.jsonl. Gives
    the last of the evaluations."""
    train, done = session.config.train, 0
    losses = {name: np.full((session.size, 1), np.nan) for name in session.trained}
    with console.training_bar(train.steps) as advance:
        for step in [*range(0, train.steps, train.eval_every), train.steps]:
            if step:
                losses = session.advance(step - done)
                done = step
            seen = session.look()
            for one in _well(runs):
                recent, here = cut(losses, one.rows), cut(seen, one.rows)
                one.failure = _divergence(recent, here["loss"], step, one.config.seed)
                if one.failure is None:
                    new = summaries.curve_rows(step, one.config.seed, recent, here)
                    one.curves += new
                    one.directory.append_metrics({"seconds": session.watch.total()["total"], "members": new})
            if not _well(runs):
                break
            shown = [seen["loss"][contestants.SUBJECT]["mean"][one.rows] for one in _well(runs)]
            advance(step, float(np.mean(np.concatenate(shown))), session.watch.seconds["train"])
    return seen


def _conclude(session: Session, runs: Sequence[Run], last: dict) -> None:
    """The final comparison, tables, parameters, summaries, figures and reports."""
    seen, oracle = session.conclude(last), session.oracle()
    shifted = session.conclude_shifted() if shifts.places(session.config) else None
    cost = _cost(session, runs)
    trained, references = jax.device_get((session.trained, session.references))
    for one in runs:
        here, directory = cut(seen, one.rows), one.directory
        directory.write_table("curves", one.curves)
        here["loss"] |= boosting.losses(one.source, one.config.population.seeds)
        directory.write_table("learners", summaries.learner_rows(here["loss"]))
        directory.write_table("alignment", summaries.alignment_rows(here["alignment"]))
        directory.write_table("layers", summaries.layer_rows(here["layers"]))
        if shifted is not None:
            directory.write_table("shift", summaries.shift_rows(shifts.places(one.config), cut(shifted, one.rows)))
        directory.write_arrays("parameters", named_leaves(cut(trained, one.rows)))
        rates = _rates(cut(references, one.rows))
        summary = summaries.summarise(one.config.name, config_hash(one.config), here, rates, cut(oracle, one.rows))
        if one.source.statistics:
            directory.write_arrays("normalization", one.source.statistics)
        notes = [*one.source.notes, *contestants.notes(one.config, session.task)]
        rest = {"reference": contestants.reference_of(one.config), "notes": notes, "command": one.command}
        directory.write_summary(summary | cost | rest)
        draw(one.config.figure, directory)
        write_report(one.config.figure, directory)
        directory.finish()


def _rates(found: contestants.References) -> dict[str, dict]:
    searched = {"gradient_descent": found.eta, "retrieved_descent": found.retrieved_eta}
    rates = {name: summaries.rate(of.eta, of.stderr) for name, of in searched.items() if of is not None}
    eta_PxS, gamma_PxS = jax.vmap(lambda learner: learner.rates())(found.gd_plus_plus)
    each = {"eta": np.asarray(eta_PxS), "gamma": np.asarray(gamma_PxS)}
    by_step = {name: [summaries.number(values_P) for values_P in of.T] for name, of in each.items()}
    return rates | {"gd_plus_plus": {"by_step": by_step}}


def _cost(session: Session, runs: Sequence[Run]) -> dict:
    """What the whole program took, and for several models what it saved, measured by training one for a chunk."""
    train, found = session.config.train, {}
    if session.size > 1:
        chunk = min(train.eval_every, train.steps)
        alone = session.seconds_alone(chunk) * train.steps / chunk
        found["together"] = {
            "models": session.size,
            "runs": len(runs),
            "train_seconds_of_one_alone": alone,
            "share_of_separate_training": session.watch.seconds["train"] / (alone * session.size),
        }
    seconds = session.watch.total()
    return found | {"seconds": seconds, "steps_per_second": train.steps / seconds["train"]}


def cut(tree, rows: slice):
    """The members of one run, of anything with a population's axis."""
    return jax.tree.map(lambda leaf: leaf[rows], tree)


def named_leaves(tree) -> dict[str, np.ndarray]:
    """{path: array} of a pytree, for a file."""
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def _divergence(losses: dict[str, np.ndarray], seen: dict, step: int, seed: int) -> Diverged | None:
    """The last update of a chunk is seen by the validation loss alone, and so is GD++'s meta-training."""
    for name, losses_PxS in losses.items():
        bad = np.argwhere(~np.isfinite(losses_PxS))
        if step and bad.size:
            member, index = bad[np.argmin(bad[:, 1])]
            at = step - losses_PxS.shape[1] + index
            return Diverged(
                f"the training loss of {name} became {losses_PxS[member, index]} at step {at} "
                f"with seed {seed + member}; lower train.learning_rate or train.clip_norm"
            )
    keys = {name: "train.learning_rate" for name in losses} | {"gd_plus_plus": "baselines.gd_plus_plus.learning_rate"}
    for name, key in keys.items():
        if name in seen and (np.any(seen[name]["left_out"]) or not np.all(np.isfinite(seen[name]["mean"]))):
            return Diverged(f"the validation loss of {name} is not a finite number at step {step}; lower {key}")
    return None
