"""`language_finetune`: does a language model learn in context as fine-tuning on the same demonstrations does? [DAI]"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from experiments.demonstrations.icl_vs_finetune import results as study
from experiments.demonstrations.language_finetune import layer_causal, measure, orders, results, rows, tuning
from experiments.demonstrations.language_finetune.measure import Descent, Reading, Tuned
from experiments.demonstrations.language_finetune.results import ARMS, CAUSAL, CONTEXT, FULL_BATCH, SGD
from experiments.demonstrations.language_finetune.settings import LanguageFinetune
from lab.errors import ConfigError
from lab.runs import interrupt
from tasks.texts import order
from tasks.texts.form import Item
from trainers.language import prompts
from trainers.language.opened import check as check_inputs
from trainers.language.opened import opened
from trainers.language.prompts import Demonstrations
from trainers.part_store import Tree
from trainers.streams import Stream
from trainers.study import Part, Study, Tables

WAYS = (CONTEXT, SGD, FULL_BATCH)
ALL = "all sets"  # the part whose rows are about all sets of demonstrations, since they share test rows


def check(settings: LanguageFinetune) -> None:
    """Refuse what would fail before anything is measured (ConfigError)."""
    check_inputs(settings, "language_model", f"validation={settings.validation}", further=settings.validation + 1)


class FineTuning(Study[LanguageFinetune]):
    """One part per set of demonstrations, and one that makes the tables of all of them."""

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
        self.readings: dict[str, Reading] = {}  # of the part that is measured
        self.orders = {
            seed: orders.drawn(len(each.items), settings.orders, self.opened.texts.name, seed)
            for seed, each in self.sets.items()
        }
        blocks = len(settings.learning_rates) + len(ARMS) + 2 + len(WAYS) * settings.orders
        return [*(Part({}, blocks, name=f"set {seed}") for seed in self.seeds), Part({}, name=ALL)]

    def _others(self, seed: int, demonstrations: Demonstrations) -> list[Item]:
        """Return demonstrations of which the set has none, and its validation rows neither."""
        texts, form = self.opened.texts, self.opened.texts.form
        rows_used = {item.row for item in (*demonstrations.items, *demonstrations.validation)}
        left = [item for item in texts.train if item.row not in rows_used]
        places = order.demonstrations(left, texts.name, seed, form.draw, form.examples)
        return [left[place] for place in places[: len(demonstrations.items)]]

    def measure(self, part: Part) -> Tables:
        if part.name == ALL:
            return self._tables()
        seed = next(each for each in self.seeds if part.name == f"set {each}")
        self.readings.pop("in context", None)
        for rate in self.settings.learning_rates:
            self._validated(seed, rate)
            self.go_on()
        self._in_context(seed)
        self.go_on()
        for arm in ARMS:
            self._arm(seed, arm)
            self.go_on()
        self._untrained(seed)
        self.go_on()
        for way in WAYS:
            for place in range(len(self.orders[seed])):
                self._in_order(seed, way, place)
                self.go_on()
        return {}

    def _validated(self, seed: int, rate: float) -> Tree:
        def measure_one() -> Tree:
            demonstrations = self.sets[seed]
            tuned = self._tuned(demonstrations.items, rate)
            return measure.validated(self.opened, tuned, demonstrations.validation, self.settings.lm.batch)

        return self.once(f"set {seed}/rate {rate}", measure_one)

    def _best(self, seed: int) -> float:
        """Return the rate that is the most accurate on validation rows, the first of several."""
        accuracies = {rate: self._validated(seed, rate)["right"].mean() for rate in self.settings.learning_rates}
        return max(accuracies, key=lambda rate: np.nan_to_num(accuracies[rate], nan=-1.0))

    def _tuned(self, items: list[Item], rate: float, descent: Descent = tuning.fine_tuned) -> Tuned:
        return measure.tuned_on(self.opened, items, rate, self.settings.loss, self.settings.epochs, descent)

    def _zero(self) -> Reading:
        if "zero-shot" not in self.readings:
            self.readings["zero-shot"] = measure.zero_shot(self.opened, self.settings.lm.batch)
        return self.readings["zero-shot"]

    def _context(self, seed: int) -> Reading:
        """Return the reading of the set that is measured; only one is kept."""
        if "in context" not in self.readings:
            reading = measure.in_context(self.opened, self.sets[seed], self.settings.lm.batch)
            self.readings["in context"] = reading
            interrupt.check()
        return self.readings["in context"]

    def _zero_shot(self) -> Tree:
        return self.once("zero-shot", lambda: self._zero().measured)

    def _in_context(self, seed: int) -> Tree:
        """Return the answers in context, and the nulls that need no fine-tuning."""

        def measure_one() -> Tree:
            context, batch = self._context(seed), self.settings.lm.batch
            random = measure.at_random(self._zero(), context, self.key(seed, Stream.directions), batch)
            alone = {"sim_am": measure.alike(context, self._zero(), batch)}
            return {"answers": context.measured, "random": random, "alone": alone}

        return self.once(f"set {seed}/in context", measure_one)

    def _arm(self, seed: int, arm: str) -> Tree:
        def measure_one() -> Tree:
            demonstrations = self.sets[seed]
            if arm == "other":
                items = self._others(seed, demonstrations)
            elif arm == "shuffled":
                items = measure.shuffled(demonstrations.items, self.opened.texts.name, seed)
            else:
                items = demonstrations.items
            descent = layer_causal.fine_tuned if arm == CAUSAL else tuning.fine_tuned
            tuned = self._tuned(items, self._best(seed), descent)
            return measure.of_arm(self.opened, tuned, self._zero(), self._context(seed), self.settings.lm.batch)

        return self.once(f"set {seed}/{arm}", measure_one)

    def _untrained(self, seed: int) -> Tree:
        """Return the measures of fine-tuning at the set's rate, of a model whose weights are drawn at random."""

        def measure_one() -> Tree:
            demonstrations, batch = self.sets[seed], self.settings.lm.batch
            opened = measure.untrained(self.opened, self.key(seed, Stream.initial_model))
            zero, context = measure.zero_shot(opened, batch), measure.in_context(opened, demonstrations, batch)
            settings = self.settings
            tuned = measure.tuned_on(opened, demonstrations.items, self._best(seed), settings.loss, settings.epochs)
            return measure.of_arm(opened, tuned, zero, context, batch)

        return self.once(f"set {seed}/untrained", measure_one)

    def _in_order(self, seed: int, way: str, place: int) -> Tree:
        """Return `right` and `loss` (X,) of the test rows with the demonstrations in one of the set's orders."""
        if place == 0 and way != FULL_BATCH:  # the order of all else
            return self._in_context(seed)["answers"] if way == CONTEXT else self._arm(seed, study.ARMS[0])

        def measure_one() -> Tree:
            items = [self.sets[seed].items[each] for each in self.orders[seed][place]]
            test, batch = self.opened.texts.test, self.settings.lm.batch
            if way == CONTEXT:
                answers = prompts.answers_behind(self.opened, items, batch)[0]
                return {"right": answers.right, "loss": answers.loss}
            descent = tuning.by_full_batch if way == FULL_BATCH else tuning.fine_tuned
            return measure.validated(self.opened, self._tuned(items, self._best(seed), descent), test, batch)

        return self.once(f"set {seed}/order {place}/{way}", measure_one)

    def _in_orders(self, seed: int, way: str) -> Tree:
        """Return `right` and `loss` (P, X) of the test rows with the demonstrations in each of the set's orders."""
        trees = [self._in_order(seed, way, place) for place in range(len(self.orders[seed]))]
        return {name: np.stack([each[name] for each in trees]) for name in ("right", "loss")}

    def _tables(self) -> Tables:
        seeds, name = [*self.seeds], self.opened.texts.name
        context = [self._in_context(seed) for seed in seeds]
        sets = {"zero_shot": [self._zero_shot()] * len(seeds), "in_context": [each["answers"] for each in context]}
        sets |= {arm: [self._arm(seed, arm) for seed in seeds] for arm in ARMS}
        by_rate = {rate: [self._validated(seed, rate) for seed in seeds] for rate in self.settings.learning_rates}
        best = [self._best(seed) for seed in seeds]
        tables: Tables = {
            study.ACCURACY: rows.accuracy_rows(seeds, sets, best),
            study.TRANSFER: rows.transfer_rows(
                seeds,
                sets,
                [each["alone"] for each in context],
                [each["random"] for each in context],
                [self._untrained(seed) for seed in seeds],
            ),
            study.RATES: rows.rate_rows(seeds, by_rate, best),
            results.ORDER: orders.order_rows(
                seeds, {way: [self._in_orders(seed, way) for seed in seeds] for way in WAYS}
            ),
        }
        return tables | {results.PUBLISHED: rows.published_rows(tables, name)}

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        """Return the headline numbers; a note says how many fine-tunings they leave out."""
        of_arms = [row for row in tables[study.ACCURACY] if row[study.LEARNER] in ARMS]
        if diverged := sum(row[study.accuracy.name] is None for row in of_arms):
            self.record.note(f"{diverged} of {len(of_arms)} fine-tunings diverged at the set's rate, and are left out")
        return super().numbers(tables)


run = FineTuning.run_each
