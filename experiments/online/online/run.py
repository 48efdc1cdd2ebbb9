"""`online`: layers with fast weights, trained from random weights on one task, beside their learners and Bayes' answer.

All layers and seeds train side by side on the same episodes, and so do the learners' constants. Points of a sweep whose
tasks differ in numbers alone share their compiled programs.
"""

import functools
from collections.abc import Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.order import sensitivity
from analysis.metrics.transfer import cosine
from experiments.online.online import results
from experiments.online.online.layers import ONLINE, layer, learner
from experiments.online.online.measure import errors, measured
from experiments.online.online.settings import Online
from lab.layouts.merged import TokenLayout
from lab.learners.learner import Learner
from lab.learners.optimal import Optimal
from tasks.catalogue import task_of
from tasks.regression import Regression
from trainers import meta
from trainers.population import Member, at, seeded
from trainers.programs import Programs, Stopwatch
from trainers.recipe import Recipe
from trainers.record import Record
from trainers.session import Session
from trainers.streams import Stream
from trainers.study import Part, Row, Study, Tables, blocks_of

OPTIMAL = "optimal"
LOOKS = 10  # measurements of the layers' errors during the training, besides those before it


def run(records: Sequence[Record[Online]]) -> None:
    """Write the tables and headline numbers.

    Raises:
        Diverged: a training loss is not a finite number, or has grown without bound.
        UserError: a directory cannot be written, or the device has too little memory.
    """
    programs = Programs(Stopwatch(), 0)
    for record in records:
        OnlineLayers(record, programs).run()


class OnlineLayers(Study[Online]):
    """One part per seed; all seeds are trained before the first one is measured."""

    TABLES: ClassVar = (results.LAYERS, results.PLACES, results.CURVES)

    def __init__(self, record: Record[Online], programs: Programs):
        super().__init__(record)
        self.programs = programs
        self.task = task_of(self.settings.task, Regression)
        self.layout = TokenLayout.of(self.task)

    def parts(self) -> Sequence[Part]:
        blocks = blocks_of(self.settings.eval.episodes, self.settings.eval.block)
        return [Part({results.SEED: seed}, blocks) for seed in self.seeds]

    def measure(self, part: Part) -> Tables:
        seed, settings = part.columns[results.SEED], self.settings
        place = self.seeds.index(seed)
        learners: dict[str, Learner] = {OPTIMAL: Optimal(self.task)}
        trained, curves = self.of_all_seeds
        learners |= {name: at(each, place) for name, each in trained.items()}
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
            results.CURVES: [row for row in curves if row[results.SEED] == seed],
        }

    @functools.cached_property
    def of_all_seeds(self) -> tuple[dict[str, Learner], list[Row]]:
        """The trained layers, and their learners with fitted constants, each with an axis of seeds in front; and the
        rows of all curves."""
        seeds, session = [*self.seeds], self.layers()
        every = max(1, -(-self.settings.train.steps // LOOKS))
        layers, curves = self.trained("layers", session, seeds, (every, lambda step: self._look(session, step)))
        constants, _ = self.trained("constants", self.constants(), seeds, section="constants")
        return layers | constants, curves

    def _look(self, session: Session, step: int) -> list[Row]:
        """Return the errors of the layers as they are now, on the same episodes at every step: rows of curves.csv."""
        keys = jnp.stack([self.key(seed, Stream.validation) for seed in self.seeds])
        now = jax.device_get(errors(session.trained, self.task, keys, self.settings.eval.block))
        return [
            {results.LAYER: name, results.STEP: step, results.SEED: seed, results.at_step.name: float(each_P[place])}
            for name, each_P in now.items()
            for place, seed in enumerate(self.seeds)
        ]

    def layers(self) -> Session:
        """Return the session that trains all layers of all seeds."""
        recipe = Recipe.of(self.settings.train, 1)

        def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
            return {
                each.value: meta.begin(
                    lambda key, scale, each=each: layer(each, self.layout, self.task.num_context, key, scale),
                    member.recipe,
                    member.key,
                )
                for each in self.settings.layers
            }

        return self._session("layers", recipe, begin)

    def constants(self) -> Session:
        """Return the session that fits the constants of the layers' learners, on episodes of all seeds."""
        recipe = Recipe.of(self.settings.constants, 1)

        def begin(member: Member, prepared: None) -> dict[str, meta.TrainState]:
            return {
                fitted(each.value): meta.begin(
                    lambda *_, each=each: learner(each, self.layout, self.task.num_context), member.recipe, member.key
                )
                for each in self.settings.layers
                if each in ONLINE
            }

        return self._session("constants", recipe, begin)

    def _session(self, label: str, recipe: Recipe, begin: Any) -> Session:
        population = seeded(self.task, recipe, [jax.random.key(seed) for seed in self.seeds])
        return Session(
            population, lambda member: None, begin, self.settings.device, label=label, programs=self.programs
        )


def fitted(name: str) -> str:
    """Return the name of a layer's learner with fitted constants."""
    return f"learner of {name}"


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
    return float(sensitivity(jnp.asarray(one["spread"]), jnp.asarray(one["size"])))
