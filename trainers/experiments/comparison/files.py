"""What a run leaves at its end: tables, weights, its summary, and what a reader sees of them."""

import jax
import numpy as np

from analysis.report.present import present
from analysis.tables import rows as summaries
from lab.config.identity import config_hash
from trainers.experiments.comparison import baselines, boosting, circuits, shifts
from trainers.experiments.comparison.run import Run


def write(one: Run, here: dict, cost: dict, about: list[str]) -> None:
    """A run's files, from its own rows `here`."""
    seen, directory = here["seen"], one.directory
    directory.write_table("curves", one.curves)
    seen["loss"] |= boosting.losses(one.source, len(one.rows))
    directory.write_table("learners", summaries.learner_rows(seen["loss"]))
    directory.write_table("alignment", summaries.alignment_rows(seen["alignment"]))
    directory.write_table("layers", summaries.layer_rows(seen["layers"]))
    if here["shifted"] is not None:
        directory.write_table("shift", summaries.shift_rows(shifts.places(one.config), here["shifted"]))
    directory.write_arrays("parameters", _named_leaves(here["trained"]))
    if one.source.statistics:
        directory.write_arrays("normalization", one.source.statistics)
    rates = _rates(here["references"])
    tables = ["curves", "learners", "alignment", "layers", "shift", *circuits.TABLES]
    figure = one.config.figure.name
    summary = summaries.summarise(one.config.name, config_hash(one.config), seen, rates, here["oracle"])
    rest = {
        "kind": "comparison",
        "numbers": summaries.numbers(summary["learners"], summary["alignment"]),
        "tables": [name for name in tables if directory.has_table(name)],
        "claims": [],
        "reference": baselines.reference_of(one.config),
        "notes": [*one.lost, *one.source.notes, *about, *circuits.notes(one.config, one.seeds)],
        "command": one.command,
        "figure": {"tabular": "training"}.get(figure, figure),
    }
    directory.write_summary(summary | cost | rest)
    present(directory)
    directory.finish()
    one.checkpoints.clear()


def _rates(found: baselines.References) -> dict[str, dict]:
    searched = {"gradient_descent": found.eta, "retrieved_descent": found.retrieved_eta}
    rates = {name: summaries.rate(of.eta, of.stderr) for name, of in searched.items() if of is not None}
    eta_PxS, gamma_PxS = jax.vmap(lambda learner: learner.rates())(found.gd_plus_plus)
    each = {"eta": np.asarray(eta_PxS), "gamma": np.asarray(gamma_PxS)}
    by_step = {name: [summaries.number(values_P) for values_P in of.T] for name, of in each.items()}
    return rates | {"gd_plus_plus": {"by_step": by_step}}


def _named_leaves(tree) -> dict[str, np.ndarray]:
    """{path: array} of a pytree, for a file."""
    return {jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}
