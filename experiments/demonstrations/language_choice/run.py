"""`language_choice`: which of several sets of demonstrations to show a language model, by Effect_D [LRGD], accuracy or
log-loss on validation rows."""

import functools
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from experiments.demonstrations.deep_thinking.rows import at_first
from experiments.demonstrations.demonstration_choice import results
from experiments.demonstrations.demonstration_choice.results import SCORES, SEED
from experiments.demonstrations.demonstration_choice.rows import bounds, choices
from experiments.demonstrations.language_choice.settings import LanguageChoice
from experiments.demonstrations.two_way import set_columns, stacked
from lab.errors import ConfigError
from lab.language.model import History
from lab.language.scoring import Query, encode
from tasks.texts import order
from tasks.texts.form import Item
from trainers.language import prompts
from trainers.language.opened import check as check_inputs
from trainers.language.opened import opened
from trainers.language.prompts import Demonstrations
from trainers.part_store import Tree
from trainers.study import Part, Study, Tables

# Of each draw of M sets {SCORE.validation: (M, V), SCORE.test: (M, X), zero_shot: (X,)}.
Draws = Sequence[Mapping[str, np.ndarray]]


def choice_rows(seeds: Sequence[int], draws: Draws, counts: Sequence[int]) -> list[dict]:
    """Return one row per score, number of validation rows and draw: choice.csv."""
    validation, test = (
        {score: stacked(draws, f"{score}.{side}") for score in SCORES} for side in ("validation", "test")
    )
    rows = []
    for each in choices(validation, test, counts):
        for place, seed in enumerate(seeds):
            numbers = {name: set_columns(name, values, place) for name, values in each.on_test.items()}
            test_columns = numbers.pop(results.test.name)
            undefined = bool(np.isnan(each.correlation_N[place]))
            rows.append(
                {SEED: seed, **each.place}
                | {name: value for columns in numbers.values() for name, value in columns.items()}
                | {results.spearman.name: None if undefined else float(each.correlation_N[place])}
                | {results.undefined.name: int(undefined), results.validation.name: float(each.validation_N[place])}
                | test_columns
                | {
                    results.optimism.name: float(
                        each.validation_N[place] - each.on_test[results.test.name][place].mean()
                    ),
                    results.tied.name: int(each.tied_N[place]),
                }
            )
    return rows


def bound_rows(seeds: Sequence[int], draws: Draws) -> list[dict]:
    """Return one row per set that no score chooses, and draw: bounds.csv."""
    return [
        {SEED: seed, results.BOUND: bound} | set_columns(results.bound_accuracy.name, values_SxX, place)
        for bound, values_SxX in bounds(stacked(draws, "accuracy.test"), stacked(draws, "zero_shot")).items()
        for place, seed in enumerate(seeds)
    ]


ALL = "all draws"  # the part whose rows are about all draws, since they share test rows


def check(settings: LanguageChoice) -> None:
    """Refuse what would fail before anything is measured (ConfigError)."""
    rows_needed = max(settings.validation)
    word = f"sets={settings.sets}, validation={rows_needed}"
    check_inputs(settings, "language_model", word, settings.sets, rows_needed)


class Choosing(Study[LanguageChoice]):
    """One part per draw of sets, and one that makes the tables of all of them."""

    TABLES: ClassVar = (results.CHOICE, results.BOUNDS)
    DOING: ClassVar = "choosing"

    def parts(self) -> Sequence[Part]:
        self.opened = opened(self.record)
        self.draws = {seed: self._draw(seed) for seed in self.seeds}
        return [*(Part({}, self.settings.sets, name=f"draw {seed}") for seed in self.seeds), Part({}, name=ALL)]

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
        if part.name == ALL:
            seeds, draws = [*self.seeds], [self._measured(seed) for seed in self.seeds]
            return {
                results.CHOICE: choice_rows(seeds, draws, self.settings.validation),
                results.BOUNDS: bound_rows(seeds, draws),
            }
        self._measured(next(seed for seed in self.seeds if part.name == f"draw {seed}"))
        return {}

    def _measured(self, seed: int) -> Tree:
        """Return `SCORE.validation` (M, V) and `SCORE.test` (M, X) of every set, and `zero_shot` (X,)."""
        sets, validation = self.draws[seed]
        each = []
        for number, demonstrations in enumerate(sets):
            measure_one = functools.partial(self._set, demonstrations, validation)
            each.append(self.once(f"draw {seed}/set {number}", measure_one))
            self.go_on()
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
