"""`language_choice`: which of several sets of demonstrations to show a language model, by Effect_D [LRGD], accuracy or
log-loss on validation rows."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from experiments.demonstrations.demonstration_choice import results
from experiments.demonstrations.demonstration_choice.results import SCORES
from experiments.demonstrations.demonstration_choice.rows import bound_rows, chosen_rows
from experiments.demonstrations.language_choice.settings import LanguageChoice
from experiments.demonstrations.tables import at_first
from experiments.demonstrations.two_way import stacked, writer
from lab.errors import ConfigError
from lab.language.model import History
from lab.language.scoring import Query, encode
from tasks.texts import order
from tasks.texts.form import Item
from trainers.language import prompts
from trainers.language.opened import check as check_inputs
from trainers.language.opened import opened
from trainers.language.prompts import Demonstrations
from trainers.store import Tree
from trainers.study import Part, Study, Tables


def check(settings: LanguageChoice) -> None:
    """Refuse what would fail before anything is measured (ConfigError)."""
    rows_needed = max(settings.validation)
    word = f"sets={settings.sets}, validation={rows_needed}"
    check_inputs(settings, "language_model", word, settings.sets, rows_needed)


def tables_of(seeds: Sequence[int], draws: Sequence[Tree], counts: Sequence[int]) -> Tables:
    """Return the tables of draws of M sets.

    Args:
        draws: {SCORE.validation: (M, V), SCORE.test: (M, X), zero_shot: (X,)} each.
    """
    validation, test = (
        {score: stacked(draws, f"{score}.{side}") for score in SCORES} for side in ("validation", "test")
    )
    return {
        results.CHOICE: chosen_rows(writer(seeds), validation, test, counts),
        results.BOUNDS: bound_rows(writer(seeds), test["accuracy"], stacked(draws, "zero_shot")),
    }


class Choosing(Study[LanguageChoice]):
    """One part, since all draws share test rows; each set's measures are stored by themselves."""

    TABLES: ClassVar = (results.CHOICE, results.BOUNDS)
    DOING: ClassVar = "choosing"

    def parts(self) -> Sequence[Part]:
        self.opened = opened(self.record)
        self.draws = {seed: self._draw(seed) for seed in self.seeds}
        return [Part({}, self.settings.sets * len(self.draws), name="all draws")]

    def _draw(self, seed: int) -> tuple[list[Demonstrations], list[Item]]:
        """Return the sets of one draw, and validation rows that are in none of them."""
        settings, texts = self.settings, self.opened.texts
        sets, rows_shown, validation = [], set(), max(settings.validation)
        for number in range(seed * settings.sets, (seed + 1) * settings.sets):
            sets.append(prompts.demonstrations(self.opened, number, 0))
            rows_shown |= {item.row for item in sets[-1].items}
            if (left := len(texts.train) - len(rows_shown)) < validation:
                raise ConfigError(
                    f"validation={validation}: {left} rows are left beside {len(sets)} of {settings.sets} sets of "
                    "demonstrations"
                )
        in_sets = [place for place, item in enumerate(texts.train) if item.row in rows_shown]
        places = order.others(texts.train, in_sets, texts.name, seed, validation)
        return sets, [texts.train[place] for place in places]

    def measure(self, part: Part) -> Tables:
        return tables_of([*self.seeds], [self._measured(seed) for seed in self.seeds], self.settings.validation)

    def _measured(self, seed: int) -> Tree:
        """Return `SCORE.validation` (M, V) and `SCORE.test` (M, X) of every set, and `zero_shot` (X,)."""
        sets, validation = self.draws[seed]
        each = []
        for number, demonstrations in enumerate(sets):
            each.append(self.next_block(f"draw {seed}/set {number}", self._set, demonstrations, validation))
        zero_shot = self.once(f"draw {seed}/alone", self._alone)
        return {name: np.stack([one[name] for one in each]) for name in each[0]} | zero_shot

    def _alone(self) -> Tree:
        test = self.opened.texts.test
        return {"zero_shot": self._answers(test, prompts.queries(self.opened, test), None).right}

    def _set(self, demonstrations: Demonstrations, validation: list[Item]) -> Tree:
        sides = {"validation": validation, "test": self.opened.texts.test}
        encoded = prompts.asked(self.opened, demonstrations.items, *sides.values())
        history, measured = encode(self.opened.model, encoded.tokens), {}
        for (side, items), queries in zip(sides.items(), encoded.queries, strict=True):
            answers = self._answers(items, queries, history)
            measured |= {f"accuracy.{side}": answers.right, f"loss.{side}": answers.loss}
            measured[f"effect.{side}"] = answers.effect
        return measured

    def _answers(self, items: list[Item], queries: list[Query], history: History | None) -> prompts.Answers:
        return prompts.answers(self.opened, items, queries, history, self.settings.lm.batch)

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return the headline numbers, at the most validation rows."""
        return super().numbers(at_first(tables, queries=max(self.settings.validation)))


run = Choosing.run_each
