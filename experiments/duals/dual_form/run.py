"""`dual_form`: identities between attention and gradient descent are checked on random problems in float64."""

from collections.abc import Sequence
from typing import ClassVar

import jax

from analysis import errata
from experiments.duals.dual_form import generation, layers, linear, passes, regularizers, softmax, transformer
from experiments.duals.dual_form.identities import IDENTITIES
from experiments.duals.dual_form.rows import rows_of
from experiments.duals.dual_form.settings import DualForm
from lab.config.choices import Topic
from trainers.record import Record
from trainers.study import Part, Study, Tables

TOPICS = {
    Topic.linear: linear,
    Topic.softmax: softmax,
    Topic.passes: passes,
    Topic.generation: generation,
    Topic.regularizers: regularizers,
    Topic.layers: layers,
    Topic.transformer: transformer,
}


def run(records: Sequence[Record[DualForm]]) -> None:
    """Write the table, the headline numbers, and as notes the errors in the source."""
    for record in records:
        with jax.enable_x64(True):
            Identities(record).run()
        for line in errata.LRGD:
            record.note(line)


class Identities(Study[DualForm]):
    """One part per topic. To be run with 64-bit numbers enabled."""

    TABLES: ClassVar = (IDENTITIES,)
    DOING: ClassVar = "identities"

    def parts(self) -> Sequence[Part]:
        return [Part({}, name=topic.value) for topic in self.settings.topics]

    def measure(self, part: Part) -> Tables:
        topic = TOPICS[Topic(part.name)]
        return {IDENTITIES: rows_of(topic.TOPIC, topic.STATEMENTS, topic.measure(self.settings))}
