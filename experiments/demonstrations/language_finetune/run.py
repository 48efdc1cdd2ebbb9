"""`language_finetune`: does a language model learn in context as fine-tuning on the same demonstrations does? [DAI]"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from experiments.demonstrations.icl_vs_finetune import results as study
from experiments.demonstrations.language_finetune import layer_causal, measure, orders, results, rows, tuning
from experiments.demonstrations.language_finetune.measure import Descent, Reading, Tuned
from experiments.demonstrations.language_finetune.results import ARMS, CAUSAL, CONTEXT, FULL_BATCH, SGD
from experiments.demonstrations.language_finetune.settings import LanguageFinetune
from lab.errors import ConfigError
from tasks.texts import order
from tasks.texts.form import Item
from trainers.language import prompts
from trainers.language.opened import check as check_inputs
from trainers.language.opened import opened
from trainers.language.prompts import Demonstrations
from trainers.store import Tree
from trainers.streams import Stream
from trainers.study import Part, Study, Tables

WAYS = (CONTEXT, SGD, FULL_BATCH)


def check(settings: LanguageFinetune) -> None:
    """Refuse what would fail before anything is measured (ConfigError)."""
    check_inputs(settings, "language_model", f"validation={settings.validation}", further=settings.validation + 1)


class FineTuning(Study[LanguageFinetune]):
    """One part, since all sets of demonstrations share test rows; each set's measures are stored one by one."""

    TABLES: ClassVar = results.TABLES
    DOING: ClassVar = "fine-tuning"

    def parts(self) -> Sequence[Part]:
        settings = self.settings
        self.opened = opened(self.record)
        self.sets = prompts.sets(self.opened, self.seeds, settings.validation, "the rate of fine-tuning")
        if not all(self._others(seed, each) for seed, each in self.sets.items()):
            raise ConfigError("text.train: no row is left beside a set's demonstrations and validation rows to fine-"
                              "tune on in its place; lower validation")  # fmt: skip
        prompts.note_left_out(self.record, self.sets)
        blocks = len(settings.learning_rates) + len(ARMS) + 2 + len(WAYS) * settings.orders
        return [Part({}, blocks * len(self.sets), name="all sets")]

    def _others(self, seed: int, demonstrations: Demonstrations) -> list[Item]:
        """Return demonstrations of which the set has none, and its validation rows neither."""
        texts, form = self.opened.texts, self.opened.texts.form
        rows_used = {item.row for item in (*demonstrations.items, *demonstrations.validation)}
        left = [item for item in texts.train if item.row not in rows_used]
        places = order.demonstrations(left, texts.name, seed, form.draw, form.examples)
        return [left[place] for place in places[: len(demonstrations.items)]]

    def measure(self, part: Part) -> Tables:
        seeds, rates = [*self.seeds], self.settings.learning_rates
        each = [self._set(seed) for seed in seeds]
        sets = {name: [trees[name] for trees in each] for name in each[0]}
        learners = {name: sets[name] for name in ("zero_shot", "in_context", *ARMS)}
        by_rate = {rate: [trees[rate] for trees in sets["rates"]] for rate in rates}
        tables: Tables = {
            study.ACCURACY: rows.accuracy_rows(seeds, learners, sets["best"]),
            study.TRANSFER: rows.transfer_rows(
                seeds, learners, *(sets[name] for name in ("alone", "random", "untrained"))
            ),
            study.RATES: rows.rate_rows(seeds, by_rate, sets["best"]),
            results.ORDER: orders.order_rows(seeds, {way: [trees[way] for trees in sets["orders"]] for way in WAYS}),
        }
        return tables | {results.PUBLISHED: rows.published_rows(tables, self.opened.texts.name)}

    def _set(self, seed: int) -> dict[str, Any]:
        """Measure one set of demonstrations.

        Returns:
            The trees of each learner, and of the nulls `alone`, `random` and `untrained`; `rates`, {rate: the tree of
            the validation rows}, and the `best` of them; `orders`, {way: the tree of all orders}.
        """
        example_set, batch = self.sets[seed], self.settings.lm.batch
        items = example_set.items
        context = functools.cache(lambda: measure.in_context(self.opened, example_set, batch))  # only if it is needed
        rates = {
            rate: self.next_block(f"set {seed}/rate {rate}", self._validated, items, rate, example_set.validation)
            for rate in self.settings.learning_rates
        }
        accuracies = {rate: tree["right"].mean() for rate, tree in rates.items()}
        best = max(accuracies, key=lambda rate: np.nan_to_num(accuracies[rate], nan=-1.0))  # the first of several
        trees: dict[str, Any] = {"rates": rates, "best": best}
        trees["zero_shot"] = self.once("zero-shot", lambda: self._zero.measured)
        trees |= self.next_block(f"set {seed}/in context", self._in_context, seed, context)
        for arm in ARMS:
            trees[arm] = self.next_block(f"set {seed}/{arm}", self._arm, seed, arm, best, context)
        trees["untrained"] = self.next_block(f"set {seed}/untrained", self._untrained, seed, best)
        in_given_order = {CONTEXT: trees["in_context"], SGD: trees[study.ARMS[0]]}
        permutations = orders.drawn(len(items), self.settings.orders, self.opened.texts.name, seed)  # given order first
        permuted = [[items[place] for place in permutation] for permutation in permutations]
        by_way = {}
        for way in WAYS:
            in_orders = [
                in_given_order[way] if number == 0 and way in in_given_order
                else self.next_block(f"set {seed}/order {number}/{way}", self._in_order, each, way, best)
                for number, each in enumerate(permuted)
            ]  # fmt: skip
            by_way[way] = {name: np.stack([tree[name] for tree in in_orders]) for name in ("right", "loss")}
        return trees | {"orders": by_way}

    @functools.cached_property
    def _zero(self) -> Reading:
        return measure.zero_shot(self.opened, self.settings.lm.batch)

    def _tuned(self, items: list[Item], rate: float, descent: Descent = tuning.fine_tuned) -> Tuned:
        return measure.tuned_on(self.opened, items, rate, self.settings.loss, self.settings.epochs, descent)

    def _validated(
        self, items: list[Item], rate: float, items_to_ask: list[Item], descent: Descent = tuning.fine_tuned
    ) -> Tree:
        return measure.validated(self.opened, self._tuned(items, rate, descent), items_to_ask, self.settings.lm.batch)

    def _in_context(self, seed: int, context: Callable[[], Reading]) -> Tree:
        """Return the answers in context, and the nulls that need no fine-tuning."""
        batch = self.settings.lm.batch
        random = measure.at_random(self._zero, context(), self.key(seed, Stream.directions), batch)
        alone = {"sim_am": measure.alike(context(), self._zero, batch)}
        return {"in_context": context().measured, "random": random, "alone": alone}

    def _arm(self, seed: int, arm: str, rate: float, context: Callable[[], Reading]) -> Tree:
        items = self.sets[seed].items
        if arm == "other":
            items = self._others(seed, self.sets[seed])
        elif arm == "shuffled":
            items = measure.shuffled(items, self.opened.texts.name, seed)
        tuned = self._tuned(items, rate, layer_causal.fine_tuned if arm == CAUSAL else tuning.fine_tuned)
        return measure.of_arm(self.opened, tuned, self._zero, context(), self.settings.lm.batch)

    def _untrained(self, seed: int, rate: float) -> Tree:
        """Return the measures of fine-tuning at the set's rate, of a model whose weights are drawn at random."""
        settings, example_set, batch = self.settings, self.sets[seed], self.settings.lm.batch
        opened = measure.untrained(self.opened, self.key(seed, Stream.initial_model))
        zero, context = measure.zero_shot(opened, batch), measure.in_context(opened, example_set, batch)
        tuned = measure.tuned_on(opened, example_set.items, rate, settings.loss, settings.epochs)
        return measure.of_arm(opened, tuned, zero, context, batch)

    def _in_order(self, items: list[Item], way: str, rate: float) -> Tree:
        """Return `right` and `loss` (X,) of the test rows with the demonstrations in this order."""
        if way == CONTEXT:
            answers = prompts.answers_behind(self.opened, items, self.settings.lm.batch)[0]
            return {"right": answers.right, "loss": answers.loss}
        descent = tuning.by_full_batch if way == FULL_BATCH else tuning.fine_tuned
        return self._validated(items, rate, self.opened.texts.test, descent)

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return the headline numbers; a note says how many fine-tunings they leave out."""
        of_arms = [row for row in tables[study.ACCURACY] if row[study.LEARNER] in ARMS]
        if diverged := sum(row[study.accuracy.name] is None for row in of_arms):
            self.record.note(f"{diverged} of {len(of_arms)} fine-tunings diverged at the set's rate, and are left out")
        return super().numbers(tables)


run = FineTuning.run_each
