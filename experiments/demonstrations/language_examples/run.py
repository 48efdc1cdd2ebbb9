"""`language_examples`: where does a language model learn in context? It answers behind more and more demonstrations."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import ClassVar

from experiments.demonstrations.language_examples import results, rows
from experiments.demonstrations.language_examples.settings import LanguageExamples
from lab.errors import ConfigError
from lab.language.scoring import encode, score
from tasks.texts.form import Item
from tasks.texts.read import read
from tasks.texts.settings import Answer
from trainers.language import prompts
from trainers.language.opened import Opened, opened
from trainers.language.opened import check as check_inputs
from trainers.language.prompts import Demonstrations
from trainers.store import Tree
from trainers.study import Part, Study, Tables


def check(settings: LanguageExamples) -> None:
    """Refuse what would fail before anything is measured (ConfigError)."""
    check_inputs(settings, "language_model", f"text.examples={settings.text.examples}", further=2)


def answered(opened: Opened, examples: Sequence[Item], groups: Mapping[str, Sequence[Item]], batch: int) -> Tree:
    """Return the answers of groups of rows behind the same demonstrations, by every way to compare answers.

    Returns:
        {"GROUP.right.WAY", "GROUP.loss.WAY": (X,), "tokens": ()}, the last of the demonstrations.
    """
    encoded = prompts.asked(opened, examples, *groups.values())
    history = encode(opened.model, encoded.tokens) if examples else None
    free = encoded.queries[0][0].free
    together = [*free, *itertools.chain(*encoded.queries)]  # in one go, as a batch is always full
    scores = score(opened.model, together, history, batch)
    measured: Tree = {"tokens": len(encoded.tokens)}
    ends = [*itertools.accumulate(map(len, (free, *groups.values())))]
    for (group, items), first, end in zip(groups.items(), ends, ends[1:], strict=False):
        for way in Answer:
            answers = prompts.judged(scores[first:end], items, way, scores[: len(free)])
            prompts.require_finite(opened, items, answers)
            measured |= {f"{group}.right.{way.value}": answers.right, f"{group}.loss.{way.value}": answers.loss}
    return measured


class MoreDemonstrations(Study[LanguageExamples]):
    """One part per data set. Answers behind one number of demonstrations of one set are stored together."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "asking"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        first, *others = settings.texts()
        self.opened = {first.dataset: opened(self.record, first)}
        model = self.opened[first.dataset]
        for text in others:
            self.opened[text.dataset] = dataclasses.replace(model, texts=read(text))
            for line in self.opened[text.dataset].texts.notes:
                self.record.note(f"{text.dataset}: {line}")
        self.sets = {name: self._sets(each) for name, each in self.opened.items()}
        steps = len(self.seeds) * (1 + len(settings.counts))
        # Texts without a name are drawn by their checksum, which no table should show.
        labels = {name: each.texts.name for name, each in self.opened.items()}
        if settings.lm.path and not first.dataset:
            labels[""] = "your texts"
        return [Part({results.DATA_SET: labels[name]}, steps, name=name) for name in self.opened]

    def _sets(self, opened: Opened) -> dict[int, Demonstrations]:
        sets = prompts.sets(opened, self.seeds, self.settings.validation, "the number of demonstrations")
        prompts.note_left_out(self.record, sets)
        if not self._counts(sets):
            raise ConfigError(f"counts={min(self.settings.counts)}: a set has fewer demonstrations that fit")
        return sets

    def _counts(self, sets: dict[int, Demonstrations]) -> list[int]:
        fewest = min(len(each.items) for each in sets.values())
        return [count for count in sorted(self.settings.counts) if count <= fewest]

    def measure(self, part: Part) -> Tables:
        opened, sets = self.opened[part.name], self.sets[part.name]
        form = dataclasses.replace(opened.texts.form, answer=Answer.calibrated)  # so that queries without content come
        opened = dataclasses.replace(opened, texts=dataclasses.replace(opened.texts, form=form))
        test, counts = opened.texts.test, [0, *self._counts(sets)]
        alone = self._once(f"{part.name}/alone", opened, [], {"test": test})
        by_count = []
        for count in counts:
            trees = []
            for seed, each in sets.items():
                groups = {"validation": each.validation} | ({"test": test} if count else {})
                name = f"{part.name}/set {seed}/{count}"
                trees.append(self._once(name, opened, each.items[:count], groups) | ({} if count else alone))
                self.go_on()
            by_count.append(trees)
        return rows.tables([*sets], counts, by_count, test)

    def _once(self, name: str, opened: Opened, examples: Sequence[Item], groups: Mapping[str, Sequence[Item]]) -> Tree:
        return self.once(name, answered, opened, examples, groups, self.settings.lm.batch)


run = MoreDemonstrations.run_each
