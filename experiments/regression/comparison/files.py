"""The files of a comparison: tables, its trained learners, and its entries of the summary."""

from collections.abc import Sequence

import jax
import numpy as np

from analysis.metrics.alignment import mean_and_error
from analysis.tables import rows as table_rows
from analysis.tables.columns import Alignment, Table
from experiments.regression.comparison import baselines, by_feature, circuits, evaluation, shifts, trainees
from experiments.regression.comparison.references import References
from experiments.regression.comparison.results import Etas, OwnTable
from experiments.regression.comparison.settings import Comparison
from lab.learners.momentum_transformer import MomentumTransformer
from tasks.datasets.columns import Inputs
from tasks.task import Source
from trainers import transformers
from trainers.population import at
from trainers.session import Session
from trainers.slice import RunSlice


def write(session: Session, evaluator: evaluation.Evaluator, runs: Sequence[RunSlice[Comparison]]) -> None:
    """Make the final evaluation, and write the files of each run from its own members of the population."""
    settings = runs[0].record.settings
    everyone = {  # arrays have the population in front
        "results": evaluator.final(),
        "oracle": evaluation.oracle(session),
        "shifted": evaluator.shifted(),
        "training_rows": evaluator.on_training_rows(),
        "references": session.state[0],
        "trained": {name: state.learner for name, state in session.state[1].items()},
    }
    first_members = evaluator.inspect([each.rows[0] for each in runs])
    shape = transformers.shape_of(settings, session.task)
    for each, measured in zip(runs, first_members, strict=True):
        circuits.write(settings, each.record, shape, measured)
        _write(each, at(everyone, each.rows), baselines.notes(settings, session.task))


def _write(each: RunSlice[Comparison], here: dict, notes: list[str]) -> None:
    """Write the files of a run.

    Args:
        here: the results of its own members, with these in front.
        notes: further notes of the summary.
    """
    results, record = here["results"], each.record
    results["loss"] |= boosting(each.source, len(each.rows))
    record.table(Table.LEARNERS, table_rows.learner_rows(results["loss"]))
    own = results.get("own", {})
    record.table(Table.ALIGNMENT, _alignment_rows(results["alignment"], own))
    record.table(Table.LAYERS, table_rows.layer_rows(results["layers"]))
    seed_rows = table_rows.seed_rows(each.seeds, "test", results)
    if here["shifted"] is not None:
        places = shifts.places(record.settings)
        record.table(Table.SHIFT, table_rows.shift_rows(places, here["shifted"]))
        for place, shifted in zip(map(table_rows.shift_name, places), here["shifted"], strict=True):
            seed_rows += table_rows.seed_rows(each.seeds, place, shifted)
    if here["training_rows"] is not None:
        seed_rows += table_rows.seed_rows(each.seeds, "train", here["training_rows"])
    record.table(Table.SEEDS, seed_rows)
    if record.settings.data is not None:
        name = record.settings.data.name
        clusters = table_rows.cluster_rows("test", name, results)
        if here["training_rows"] is not None:
            clusters += table_rows.cluster_rows("train", f"{name}, training rows", here["training_rows"])
        record.table(Table.CLUSTERS, clusters)
    if each.source.inputs:
        columns = [row[Inputs.COLUMN] for row in each.source.inputs]
        record.table(OwnTable.INPUTS, list(each.source.inputs))
        record.table(OwnTable.FEATURES, by_feature.rows(each.seeds, columns, results["features"]))
    if each.source.retrieval:
        record.table(OwnTable.RETRIEVAL, list(each.source.retrieval))
    if isinstance(model := here["trained"][trainees.SUBJECT], MomentumTransformer):
        record.table(OwnTable.ETAS, _eta_rows(each.seeds, model))
    for name, learner in here["trained"].items():
        record.learner(name, learner)
    if each.source.statistics:
        record.arrays("normalization", each.source.statistics)
    summary = table_rows.summarise(results, _rates(here["references"]), here["oracle"])
    record.entries(reference=trainees.reference_of(record.settings), **summary)
    pairs = {f"{name}.{other}": metrics for name, others in own.items() for other, metrics in others.items()}
    record.numbers(table_rows.numbers(summary["learners"], results["alignment"] | pairs))
    if len(each.seeds) == 1 and record.settings.data is None:
        record.table(Table.BLOCKS, table_rows.block_rows(results["loss"], results["alignment"] | pairs))
    for line in (*each.source.notes, *notes, *circuits.notes(record.settings, each.seeds)):
        record.note(line)


def boosting(source: Source, seeds: int) -> dict[str, dict]:
    """Return {"boosting": statistics of 1/2 squared error over the test rows}, or nothing if the task has no table.

    Gradient boosting is the usual method for a table. It is fitted to every training row and sees no context, so it is
    no in-context learner. Rows count equally, as all are queries of episodes equally often. Each statistic is repeated
    `seeds` times.
    """
    if not source.splits:
        return {}
    from sklearn.ensemble import HistGradientBoostingRegressor

    (train_x, train_y), (test_x, test_y) = (source.splits[name] for name in ("train", "test"))
    model = HistGradientBoostingRegressor(random_state=0).fit(train_x, train_y[:, 0])
    statistics = mean_and_error(0.5 * np.square(model.predict(test_x) - test_y[:, 0]), np.arange(len(test_y)))
    return {"boosting": {name: np.broadcast_to(value, (seeds, *np.shape(value))) for name, value in statistics.items()}}


def _alignment_rows(alignment: dict, own: dict[str, dict]) -> list[dict]:
    """Return the rows of alignment.csv; with learners of the user's own there is a column that says whose they are."""
    rows = table_rows.alignment_rows(alignment)
    if not own:
        return rows
    by_learner = {trainees.SUBJECT: rows} | {name: table_rows.alignment_rows(others) for name, others in own.items()}
    return [{Alignment.LEARNER: name} | row for name, of_learner in by_learner.items() for row in of_learner]


def _eta_rows(seeds: Sequence[int], model: MomentumTransformer) -> list[dict]:
    """Return the rows of etas.csv."""
    etas_PxBxH = np.asarray(jax.vmap(lambda model: model.etas())(model))
    return [
        {Etas.SEED: seed, Etas.BLOCK: block, Etas.HEAD: head, Etas.ETA: float(eta)}
        for seed, etas_BxH in zip(seeds, etas_PxBxH, strict=True)
        for (block, head), eta in np.ndenumerate(etas_BxH)
    ]


def _rates(references: References) -> dict[str, dict]:
    """Return {learner: its rates, as the summary has them}."""
    searched = {
        "gradient_descent": references.eta,
        baselines.SQUARED: references.squared_eta,
        "retrieved_descent": references.retrieved_eta,
        "further_descent": references.further_eta,
    }
    rates = {name: table_rows.rate(eta.eta, eta.stderr) for name, eta in searched.items() if eta is not None}
    eta_PxS, gamma_PxS = jax.vmap(lambda learner: learner.rates())(references.gd_plus_plus)
    values = {"eta": np.asarray(eta_PxS), "gamma": np.asarray(gamma_PxS)}
    by_step = {name: [table_rows.number(values_P) for values_P in rates_PxS.T] for name, rates_PxS in values.items()}
    if (ball := references.heavy_ball) is not None:
        rates["heavy_ball"] = {"eta": table_rows.number(ball.eta), "beta": table_rows.number(ball.beta[...])}
    return rates | {"gd_plus_plus": {"by_step": by_step}}
