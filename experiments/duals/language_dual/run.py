"""`language_dual`: attention of a language model as steps of gradient descent on dual models, token by token [LRGD]."""

from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.language_dual import results
from experiments.duals.language_dual.measure import MAPS, of_prompt, with_features
from experiments.duals.language_dual.settings import LanguageDual
from lab.language.scoring import Query, padded
from lab.runs import interrupt
from tasks.texts import order
from trainers.language import prompts
from trainers.language.opened import check as check_inputs
from trainers.language.opened import opened
from trainers.store import Tree
from trainers.streams import Stream
from trainers.study import Part, Study, Tables


def check(settings: LanguageDual) -> None:
    """Refuse what would fail before anything is measured (ConfigError)."""
    check_inputs(settings, "language_model")


class Duals(Study[LanguageDual]):
    """One part per set of demonstrations."""

    TABLES: ClassVar = (results.LAYERS, results.PATH, results.FEATURES)
    DOING: ClassVar = "dual models"

    def parts(self) -> Sequence[Part]:
        self.opened = opened(self.record)
        texts = self.opened.texts
        places = order.others(texts.test, (), texts.name, 0, self.settings.queries)
        self.items = [texts.test[place] for place in places]
        return [Part({results.SEED: seed}, len(self.items)) for seed in self.seeds]

    def measure(self, part: Part) -> Tables:
        seed = part.columns[results.SEED]
        demonstrations = prompts.demonstrations(self.opened, seed, 0)
        encoded, each = prompts.asked(self.opened, demonstrations.items, self.items), []
        for number, query in enumerate(encoded.queries[0]):
            interrupt.check()
            name = f"set {seed}/query {number}"
            each.append(self.next_block(name, self._of_query, encoded.tokens, query, seed))
        measured = {name: np.stack([one[name] for one in each]).astype(np.float64) for name in each[0]}
        layers = range(self.opened.model.arch.layers)
        return {
            results.LAYERS: [_layer_row(measured, layer) for layer in layers],
            results.PATH: [row for layer in layers for row in _path_rows(measured, layer)],
            results.FEATURES: [
                {
                    results.LAYER: layer + 1,
                    results.MAP: name,
                    results.COUNT: count,
                    results.feature_error.name: float(np.median(measured[f"error.{name}.{count}"][:, layer])),
                    results.NEGATIVE: float(np.mean(measured[f"negative.{name}.{count}"][:, layer])),
                }
                for layer in layers
                for name in MAPS
                for count in self.settings.features
            ],
        }

    def _of_query(self, of_demonstrations: list[int], query: Query, seed: int) -> Tree:
        tokens = [*of_demonstrations, *query.prompt]
        tokens_T = jnp.asarray(padded([tokens])[0])
        measured = jax.device_get(of_prompt(self.opened.model, tokens_T, len(of_demonstrations), len(tokens)))
        for name in MAPS:
            for features in self.settings.features:
                key = self.key(seed, Stream.frequencies)
                each = with_features(self.opened.model, tokens_T, key, name, features, len(tokens))
                measured |= {f"{column}.{name}.{features}": values for column, values in jax.device_get(each).items()}
        return measured


def _layer_row(measured: dict[str, np.ndarray], layer: int) -> dict:
    columns = {each.name: float(np.mean(measured[each.name][:, layer])) for each in results.OVER_LAYERS}
    return {results.LAYER: layer + 1, results.error.name: float(np.max(measured["error"][:, layer]))} | columns


def _path_rows(measured: dict[str, np.ndarray], layer: int) -> list[dict]:
    distance_N = measured["distance"][:, layer].mean(axis=0)
    return [
        {
            results.LAYER: layer + 1,
            results.LEARNED: step / (len(distance_N) - 1),
            results.distance.name: float(distance),
        }
        for step, distance in enumerate(distance_N)
    ]


run = Duals.run_each
