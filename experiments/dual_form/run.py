"""`dual_form`: identities between attention and gradient descent are checked on random problems in float64."""

from collections.abc import Sequence
from typing import ClassVar

import jax

from analysis import slips
from experiments.dual_form import layers, linear, passes, regularizers, softmax, transformer
from experiments.dual_form.columns import Identity, Table
from experiments.dual_form.rows import rows_of
from experiments.dual_form.settings import DualForm
from lab.config.choices import Topic
from trainers.limits import Limit, usable_bytes
from trainers.record import Record
from trainers.study import Part, Study, Tables

TOPICS = {
    Topic.linear: linear,
    Topic.softmax: softmax,
    Topic.passes: passes,
    Topic.regularizers: regularizers,
    Topic.layers: layers,
    Topic.transformer: transformer,
}
DOUBLE = 8  # bytes
MATRICES = 4  # matrices as large as the kernel between all tokens: its values, coefficients, features, decomposition


def run(records: Sequence[Record[DualForm]]) -> None:
    """Write the table of `Identity`, the headline numbers, and as notes the errors in the source.

    Raises:
        ConfigError: the problems do not fit into the memory; nothing is written then.
    """
    for record in records:
        with jax.enable_x64(True):
            Identities(record).run()
        for line in slips.LRGD:
            record.note(line)


class Identities(Study[DualForm]):
    """One part per topic. To be run with 64-bit numbers enabled."""

    TABLES: ClassVar = tuple(Table)
    DOING: ClassVar = "identities"
    ADVICE: ClassVar = "lower cases"

    def limits(self) -> Sequence[Limit]:
        return limits_of(self.settings)

    def parts(self) -> Sequence[Part]:
        return [Part({}, name=topic.value) for topic in self.settings.topics]

    def measure(self, part: Part) -> Tables:
        topic = TOPICS[Topic(part.name)]
        return {Table.IDENTITIES: rows_of(topic.TOPIC, topic.STATEMENTS, topic.measure(self.settings))}

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        return headline(tables[Table.IDENTITIES])


def limits_of(settings: DualForm) -> list[Limit]:
    """Return the limits of memory: all cases are computed at once, in float64.

    For linear attention these are, for each loss, the inputs and outputs of attention, and the models and values of all
    steps; XLA's own count is within a factor of two. For softmax attention they are matrices of the kernel between all
    tokens.
    """
    problem, cases = "the problems exceed the memory", settings.cases
    n, x, y, steps = settings.examples, settings.input_dim, settings.output_dim, settings.steps
    linear_numbers = len(linear.LOSSES) * cases * (n * (x + y) + x * (x + y) + steps * (n + x) * y)
    linear_powers = {"cases": 1, "examples": 1, "output_dim": 1, "steps": 1, "input_dim": 2}
    tokens = n + settings.instructions + settings.perturbations
    kernel_powers = {"cases": 1, "examples": 2, "instructions": 2, "perturbations": 2}
    limits = {
        True: Limit(problem, 2 * DOUBLE * linear_numbers, usable_bytes(), linear_powers),
        False: Limit(problem, 2 * DOUBLE * MATRICES * cases * tokens**2, usable_bytes(), kernel_powers),
    }
    return [limits[part] for part in sorted({topic is Topic.linear for topic in settings.topics})]


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
