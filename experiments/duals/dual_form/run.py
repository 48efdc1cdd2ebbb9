"""`dual_form`: identities between attention and gradient descent are checked on random problems in float64."""

from collections.abc import Sequence
from typing import ClassVar

import jax

from analysis import errata
from experiments.duals.dual_form import generation, layers, linear, passes, regularizers, softmax, transformer
from experiments.duals.dual_form.columns import Identity, Table
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
    """Write the table of `Identity`, the headline numbers, and as notes the errors in the source."""
    for record in records:
        with jax.enable_x64(True):
            Identities(record).run()
        for line in errata.LRGD:
            record.note(line)


class Identities(Study[DualForm]):
    """One part per topic. To be run with 64-bit numbers enabled."""

    TABLES: ClassVar = tuple(Table)
    DOING: ClassVar = "identities"
    ADVICE: ClassVar = "lower cases"

    def parts(self) -> Sequence[Part]:
        return [Part({}, name=topic.value) for topic in self.settings.topics]

    def measure(self, part: Part) -> Tables:
        topic = TOPICS[Topic(part.name)]
        return {Table.IDENTITIES: rows_of(topic.TOPIC, topic.STATEMENTS, topic.measure(self.settings))}

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        return headline(tables[Table.IDENTITIES])


def headline(rows: list[dict]) -> dict[str, float | None]:
    """Return the headline numbers of the topics that were measured."""
    errors = {(row[Identity.IDENTITY], row[Identity.VARIANT]): row[Identity.ERROR] for row in rows}
    places = {
        "batch_against_online": ("batch_not_online", "cross-entropy"),
        "effect_lost_relu": ("frozen_activation", "ReLU"),
        "effect_lost_gelu": ("frozen_activation", "GELU"),
        "signs_flipped": ("flipped_signs", "any activation"),
    }
    return {
        "largest_error": max(row[Identity.ERROR] for row in rows if row[Identity.RELATION] == "equal"),
        **{name: errors[place] for name, place in places.items() if place in errors},
        "statements": len(rows),
        "statements_that_hold": sum(row[Identity.HOLDS] for row in rows),
    }
