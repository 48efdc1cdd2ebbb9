"""`online`: layers with fast weights, trained from random weights on one task, beside their learners and Bayes' answer.

All layers and seeds train side by side on the same episodes, and so do the learners' constants. Points of a sweep whose
tasks differ in numbers alone share their compiled programs.
"""

from typing import ClassVar

import numpy as np

from experiments.online.beside import OPTIMAL, Beside, Makes, Measured, layout_of, mean_cosine, order_of
from experiments.online.curves import CURVES, LAYER, SEED
from experiments.online.online import results
from experiments.online.online.layers import ONLINE, layer, learner
from experiments.online.online.settings import Online
from trainers.study import Part, Row, Tables


class OnlineLayers(Beside[Online]):
    """Every layer has one learner, but for softmax."""

    TABLES: ClassVar = (results.LAYERS, results.PLACES, CURVES)

    def measure(self, part: Part) -> Tables:
        seed = part.columns[SEED]
        block = self.measured(seed)
        names = [each.value for each in self.settings.layers]
        return {
            results.LAYERS: [{LAYER: name, **of_layer(name, block)} for name in names],
            results.PLACES: [row for name in names for row in by_place(name, block)],
            CURVES: self.curves(seed),
        }

    @staticmethod
    def layers(settings: Online) -> Makes:
        layout, count = layout_of(settings), settings.task.num_context
        return {
            each.value: lambda key, scale, each=each: layer(each, layout, count, key, scale) for each in settings.layers
        }

    @staticmethod
    def learners(settings: Online) -> Makes:
        layout, count = layout_of(settings), settings.task.num_context
        return {
            fitted(each.value): lambda *_, each=each: learner(each, layout, count)
            for each in settings.layers
            if each in ONLINE
        }


run = OnlineLayers.run_each
learners = OnlineLayers.structures


def fitted(name: str) -> str:
    """Return the name of a layer's learner with fitted constants."""
    return f"constants_{name}"


def of_layer(name: str, block: Measured) -> Row:
    """Return a layer's row: means over episodes, and None for what it has not."""
    trained, best = block[name], block[OPTIMAL]
    row = {
        results.trained.name: np.mean(trained["error"]),
        results.optimal.name: np.mean(best["error"]),
        results.excess.name: np.mean(trained["error"] - best["error"]),
        results.order.name: order_of(trained),
    }
    compared = dict.fromkeys((each.name for each in results.BESIDE), None)
    if (one := block.get(fitted(name))) is not None:
        compared = {
            results.constants.name: np.mean(one["error"]),
            results.cosine.name: mean_cosine(trained["influence"], one["influence"]),
            results.query_cosine.name: mean_cosine(trained["slope"], one["slope"]),
            results.constants_order.name: order_of(one),
        }
    return {key: None if value is None else float(value) for key, value in (row | compared).items()}


def by_place(name: str, block: Measured) -> list[Row]:
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
            LAYER: name,
            results.PLACE: place + 1,
            **empty,
            **{key: float(each[place]) for key, each in columns.items()},
        }
        for place in range(count)
    ]
