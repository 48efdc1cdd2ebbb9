"""`online`: layers with fast weights, trained from random weights on one task, beside their learners and Bayes' answer.

All layers and seeds train side by side on the same episodes, and so do the learners' constants. Points of a sweep whose
tasks differ in numbers alone share their compiled programs.
"""

import functools
from collections.abc import Sequence
from typing import ClassVar

import jax.numpy as jnp
import numpy as np

from analysis.metrics.transfer import cosine
from experiments.online.online import results, sessions
from experiments.online.online.measure import measured
from experiments.online.online.sessions import fitted
from experiments.online.online.settings import Online
from lab.learners.learner import Learner
from lab.learners.optimal import Optimal
from tasks.catalogue import task_of
from tasks.regression import Regression
from trainers.population import at
from trainers.programs import Programs, Stopwatch
from trainers.record import Record
from trainers.streams import Stream
from trainers.study import Part, Row, Study, Tables, blocks_of

OPTIMAL = "optimal"


def run(records: Sequence[Record[Online]]) -> None:
    """Write the tables and headline numbers.

    Raises:
        Diverged: a training loss is not a finite number, or has grown without bound.
        UserError: a directory cannot be written, or the device has too little memory.
    """
    programs = Programs(Stopwatch(), 0)
    for record in records:
        OnlineLayers(record, programs).run()


def learners(settings: Online) -> dict[str, Learner]:
    """Return {name: structure} of the layers and their learners that a run keeps."""
    return sessions.layers(settings).structures | sessions.constants(settings).structures


class OnlineLayers(Study[Online]):
    """One part per seed; all seeds are trained before the first one is measured."""

    TABLES: ClassVar = (results.LAYERS, results.PLACES)

    def __init__(self, record: Record[Online], programs: Programs):
        super().__init__(record)
        self.programs = programs
        self.task = task_of(self.settings.task, Regression)

    def run(self) -> None:
        """Measure all seeds, and store the learners. Raises as `Study.run`."""
        super().run()
        for name, each in self.of_all_seeds.items():
            self.record.learner(name, each)

    def parts(self) -> Sequence[Part]:
        blocks = blocks_of(self.settings.eval.episodes, self.settings.eval.block)
        return [Part({results.SEED: seed}, blocks) for seed in self.seeds]

    def measure(self, part: Part) -> Tables:
        seed, settings = part.columns[results.SEED], self.settings
        place = self.seeds.index(seed)
        learners: dict[str, Learner] = {OPTIMAL: Optimal(self.task)}
        learners |= {name: at(each, place) for name, each in self.of_all_seeds.items()}
        block = self.blocks(
            "test",
            lambda key: measured(learners, self.task, key, settings.eval.block, settings.orders),
            self.key(seed, Stream.test),
            settings.eval.episodes,
            settings.eval.block,
        )
        names = [each.value for each in settings.layers]
        return {
            results.LAYERS: [{results.LAYER: name, **of_layer(name, block)} for name in names],
            results.PLACES: [row for name in names for row in by_place(name, block)],
        }

    @functools.cached_property
    def of_all_seeds(self) -> dict[str, Learner]:
        """The trained layers, and their learners with fitted constants, each with an axis of seeds in front."""
        seeds = [*self.seeds]
        layers, _ = self.trained("layers", sessions.layers(self.settings, self.programs), seeds)
        session = sessions.constants(self.settings, self.programs)
        constants, _ = self.trained("constants", session, seeds, section="constants")
        return layers | constants


def of_layer(name: str, block: dict[str, dict[str, np.ndarray]]) -> Row:
    """Return a layer's row: means over episodes, and None for what it has not."""
    trained, best = block[name], block[OPTIMAL]
    row = {
        results.trained.name: np.mean(trained["error"]),
        results.optimal.name: np.mean(best["error"]),
        results.excess.name: np.mean(trained["error"] - best["error"]),
        results.order.name: _order(trained),
    }
    compared = dict.fromkeys((each.name for each in results.BESIDE), None)
    if (one := block.get(fitted(name))) is not None:
        compared = {
            results.constants.name: np.mean(one["error"]),
            results.cosine.name: _mean_cosine(trained["influence"], one["influence"]),
            results.query_cosine.name: _mean_cosine(trained["slope"], one["slope"]),
            results.constants_order.name: _order(one),
        }
    return {key: None if value is None else float(value) for key, value in (row | compared).items()}


def by_place(name: str, block: dict[str, dict[str, np.ndarray]]) -> list[Row]:
    """Return a layer's rows of all places in the context, from 1 on."""
    columns: dict[str, np.ndarray] = {}
    for one, prefix in ((block[name], ""), (block.get(fitted(name)), results.CONSTANTS)):
        if one is None:
            continue
        columns[f"{prefix}{results.influence.name}"] = np.sqrt(np.mean(one["influence"] ** 2, axis=0))
        if "gates" in one:
            for gate, values_N in zip(results.GATES, np.mean(one["gates"], axis=0), strict=True):
                columns[f"{prefix}{gate}"] = values_N
    empty = dict.fromkeys(results.OF_PLACES, None)
    count = len(columns[results.influence.name])
    return [
        {
            results.LAYER: name,
            results.PLACE: place + 1,
            **empty,
            **{key: float(each[place]) for key, each in columns.items()},
        }
        for place in range(count)
    ]


def _mean_cosine(one_BxN: np.ndarray, other_BxN: np.ndarray) -> float:
    return float(np.mean(cosine(jnp.asarray(one_BxN), jnp.asarray(other_BxN))))


def _order(one: dict[str, np.ndarray]) -> float:
    """Return the standard deviation of the answer over orders, of targets whose variance is 1."""
    return float(np.sqrt(np.mean(one["spread"])))
