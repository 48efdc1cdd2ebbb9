"""`attention_ladder`: how much of softmax does a trained decoder need? Its attention is replaced by simpler ones."""

import functools
from collections.abc import Sequence
from typing import ClassVar

from analysis.metrics.alignment import mean_over_episodes
from experiments.duals.attention_ladder import results
from experiments.duals.attention_ladder.measure import measure, rungs
from experiments.duals.attention_ladder.results import LAYER, LAYERS, RUNG, RUNGS, SEED
from experiments.duals.attention_ladder.settings import AttentionLadder
from lab.config.choices import AttentionKind, Position
from lab.config.decoder import TrainsDecoder
from lab.errors import ConfigError
from tasks.classification import Classification
from trainers import load_pretrained
from trainers.streams import Stream
from trainers.study import Part, Study, Tables, blocks_of


def check(settings: AttentionLadder) -> None:
    """Refuse decoders of other tasks, and with other attention than softmax, or with a bias (ConfigError)."""
    load_pretrained.check(settings.command, "decoder", settings.test)
    model, words = load_pretrained.settings_of(settings.command, TrainsDecoder).model, " ".join(settings.command)
    if model.attention is not AttentionKind.softmax:
        raise ConfigError(f"model.words: {words} trains decoders with other attention than softmax")
    if model.positions is Position.alibi:
        raise ConfigError("model.words: model.positions=alibi adds a bias to scores, which linear attention has not")


class Ladder(Study[AttentionLadder]):
    """One part per decoder and rung."""

    TABLES: ClassVar = (RUNGS, LAYERS)
    DOING: ClassVar = "climbing"
    UNDEFINED: ClassVar = (results.similarity.name,)  # where an answer is no number

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.task = load_pretrained.task_to_test(
            settings.command, [*settings.test, f"task.num_queries={settings.queries}"], Classification
        )
        self.models = load_pretrained.decoders(self.record, settings.command)
        self.changed = {
            seed: rungs(model, settings.degrees, settings.features, self.key(seed, Stream.frequencies))
            for seed, model in self.models.items()
        }
        blocks = blocks_of(settings.eval.episodes, settings.eval.block)
        return [Part({SEED: seed, RUNG: rung}, blocks) for seed, changed in self.changed.items() for rung in changed]

    def measure(self, part: Part) -> Tables:
        settings, (seed, rung) = self.settings, part.columns.values()
        measure_block = functools.partial(
            measure, self.models[seed], self.changed[seed][rung], self.task.of_seed(seed), count=settings.eval.block
        )
        key = self.key(seed, Stream.test)
        measured = self.blocks(rung, measure_block, key, settings.eval.episodes, settings.eval.block)
        columns = {
            results.accuracy: measured["accuracy"],
            results.lost: measured["own"] - measured["accuracy"],
            results.agreement: measured["agreement"],
            results.learned: measured["own"] - measured["zero_shot"],
        }
        row: dict = {}
        for column, values in columns.items():
            row |= mean_over_episodes(column.name, values)
        layers = [
            {LAYER: layer + 1}
            | mean_over_episodes(results.similarity.name, measured["similarity"][:, layer], undefined=True)
            for layer in range(measured["similarity"].shape[1])
        ]
        return {RUNGS: [row], LAYERS: layers}


run = Ladder.run_each
