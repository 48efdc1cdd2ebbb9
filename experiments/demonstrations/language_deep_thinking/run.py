"""`language_deep_thinking`: does it help a language model to read its demonstrations again? [DT]"""

import itertools
from collections.abc import Sequence
from typing import ClassVar

from experiments.demonstrations.deep_thinking import results as study
from experiments.demonstrations.deep_thinking.rows import FLOAT, cost_rows, iteration_rows, norm_rows
from experiments.demonstrations.language_deep_thinking import measure, results, rows
from experiments.demonstrations.language_deep_thinking.rows import published
from experiments.demonstrations.language_deep_thinking.settings import LanguageDeepThinking
from experiments.demonstrations.tables import at_first
from experiments.demonstrations.two_way import writer
from lab.errors import ConfigError
from lab.runs import interrupt
from tasks.texts.settings import Draw
from trainers.language import prompts
from trainers.language.opened import check as check_inputs
from trainers.language.opened import opened, own_form
from trainers.store import Tree
from trainers.study import Part, Study, Tables

THEIRS = (True, 0.01, 0.9)  # the source's offset, rate and momentum


def check(settings: LanguageDeepThinking) -> None:
    """Refuse what would fail before anything is measured (ConfigError)."""
    check_inputs(settings, "language_model", f"text.examples={settings.text.examples}", further=2)
    if not settings.lm.path and settings.counts:
        form = own_form(settings.text)
        most = form.examples * (len(form.words) if form.draw is Draw.per_class else 1)
        if max(settings.counts) > most:
            raise ConfigError(f"counts: {max(settings.counts)} demonstrations, and a set has at most {most}")


class ReadingAgain(Study[LanguageDeepThinking]):
    """One part, since all sets of demonstrations share test rows; each set's measures are stored one by one."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "reading again"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.opened = opened(self.record)
        self.triples = [*itertools.product(settings.offset, settings.eta, settings.beta)]
        readings = 2 if max(settings.offset) else 1
        self.sets = prompts.sets(self.opened, self.seeds, settings.validation, "the number of iterations", readings)
        self.fewest = fewest = min(len(each.items) for each in self.sets.values())
        self.counts = sorted(settings.counts) or sorted({0, 1, fewest // 4, fewest // 2, fewest})
        if max(self.counts) > fewest:
            raise ConfigError(f"counts: {max(self.counts)} demonstrations, and a set has {fewest} that fit")
        prompts.note_left_out(self.record, self.sets)
        blocks = len(self.triples) + len(settings.offset) + 1 + len(self.counts)
        return [Part({}, blocks * len(self.sets), name="all sets")]

    def measure(self, part: Part) -> Tables:
        settings, seeds, texts = self.settings, [*self.seeds], self.opened.texts
        sets = {
            setting: [self._thought(seed, *setting, settings.iterations) for seed in seeds] for setting in self.triples
        }
        again = {  # one whole re-reading
            offset: [self._thought(seed, offset, 1.0, 0.0, 2) for seed in seeds] for offset in settings.offset
        }
        examples, controls = ([each(seed) for seed in seeds] for each in (self._by_examples, self._controls))
        arch, readings = self.opened.model.arch, rows.readings_of(sets)
        printed = published(arch.family, arch.layers, arch.width, texts.name)
        theirs = readings.get(THEIRS, readings[self.triples[0]])
        return {
            results.EXAMPLES: rows.example_rows(seeds, self.counts, examples, texts.test),
            study.ITERATIONS: iteration_rows(writer(seeds), readings.values()),
            study.PROTOCOLS: rows.protocol_rows(seeds, readings, again, controls, texts.name),
            study.NORMS: [
                {study.SEED: seed} | row
                for setting, of_sets in sets.items()
                for seed, each in zip(seeds, of_sets, strict=True)
                for row in norm_rows(rows.columns_of(*setting), each["key_norms"])
            ],
            study.COST: self._costs(),
            results.PUBLISHED: rows.published_rows(theirs, texts.name, printed, THEIRS in readings),
        }

    def _thought(self, seed: int, offset: bool, eta: float, beta: float, iterations: int) -> Tree:
        def say(number: int) -> None:
            interrupt.check()
            self._advance(f"{self.DOING}: set {seed}, eta {eta:g}, beta {beta:g}, iteration {number}", steps=0)

        name = f"set {seed}/{offset}/{eta}/{beta}/{iterations}"
        numbers = iterations, eta, beta, offset, self.settings.lm.batch
        return self.next_block(name, measure.thought, self.opened, self.sets[seed], *numbers, say)

    def _controls(self, seed: int) -> Tree:
        name, batch = f"set {seed}/controls", self.settings.lm.batch
        return self.next_block(name, measure.controls, self.opened, self.sets[seed], batch)

    def _by_examples(self, seed: int) -> Tree:
        items, batch = self.sets[seed].items, self.settings.lm.batch
        name = f"set {seed}/examples"
        return self.once(name, measure.by_examples, self.opened, items, self.counts, batch, self.go_on)

    def _costs(self) -> list[dict]:
        arch, settings = self.opened.model.arch, self.settings
        sets = [measure.asked_behind(self.opened, each) for each in self.sets.values()]
        context = sum(len(each.tokens) for each in sets) / len(sets)
        lengths = [len(query.prompt) for each in sets for query in each.queries[0]]
        token_bytes = 2 * arch.layers * arch.groups * arch.head_width * FLOAT
        return cost_rows(context, sum(lengths) / len(lengths), token_bytes, settings.iterations, settings.memory)

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return the headline numbers, at the first rate, momentum and offset."""
        return super().numbers(at_first(tables, **rows.columns_of(*self.triples[0])))


run = ReadingAgain.run_each
