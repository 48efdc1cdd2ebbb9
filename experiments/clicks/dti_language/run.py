"""`dti_language`: a language model is fine-tuned by low-rank factors on a log's prompts, and tested on its latest."""

import functools
from collections.abc import Sequence
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from analysis.tables.columns import Curves, Table
from experiments.clicks.click_log import baselines
from experiments.clicks.click_log.evaluation import targets_of
from experiments.clicks.click_log.prompts import Prompts, batch_indices, in_order
from experiments.clicks.click_log.run import GROUPS, USERS, numbers, test_tables
from experiments.clicks.click_log.session import DECODER
from experiments.clicks.click_log.training import Batch, click_logits
from experiments.clicks.dti_language import texts, training
from experiments.clicks.dti_language.settings import LanguageClicks
from experiments.clicks.dti_language.training import State
from experiments.clicks.metrics import log_loss
from experiments.clicks.tables import SLIDING, STREAMING, Spent
from lab.config.choices import Optimizer
from lab.errors import ConfigError, Diverged
from lab.language import lora
from lab.language.model import LanguageModel
from lab.language.stream import Reader, Reading
from lab.learners.stream_schemes import SCHEMES
from lab.runs import interrupt
from lab.runs.devices import device_name
from tasks.logs.catalogue import READERS
from tasks.logs.log import ABSENT, ClickLog
from trainers.language.opened import check_model, open_model, place_of
from trainers.recipe import Recipe
from trainers.store import Tree
from trainers.streams import Stream
from trainers.study import Part, Study, Tables
from trainers.training import divergence

MULTIPLE = 32  # lengths of prompts are rounded up to it: one program is compiled for each
ALL = "all seeds"


def check(settings: LanguageClicks) -> None:
    """Refuse a model that cannot be read (ConfigError)."""
    check_model(settings, "language_model")


class LoraTuning(Study[LanguageClicks]):
    """One part per seed, which is trained, and one that makes the tables of all of them."""

    TABLES: ClassVar = (Table.CURVES, Table.CLICKS, GROUPS, USERS, Table.SPENT)
    DOING: ClassVar = "fine-tuning"
    UNDEFINED: ClassVar = ("auc", "f1", "gap")  # of few targets

    def parts(self) -> Sequence[Part]:
        settings, prompt, train = self.settings, self.settings.prompt, self.settings.train
        self.model, tokenizer = open_model(place_of(settings), settings.lm.dtype, self.record.note)
        if any(self.model.arch.local) or self.model.arch.slopes:
            raise ConfigError("lm.path: a model with windows or biases of its own is not read by streaming prompts")
        words = [texts.word_of(tokenizer, each, "prompt.labels") for each in prompt.labels]
        self.labels, self.summary = (words[0], words[1]), texts.word_of(tokenizer, prompt.summary, "prompt.summary")
        if words[0] == words[1]:
            raise ConfigError("prompt.labels: both are the same token of the model")
        log = READERS[settings.data.name].read(settings.data)
        self.log = texts.first_targets(log, "test", settings.eval.test)
        self.read = texts.in_tokens(log, tokenizer, prompt)
        self.prompts = Prompts(self.read, "train", prompt.num_context, prompt.targets)
        self.recipe = Recipe(train.steps, train.batch_size, train.warmup, Optimizer.adamw, train.learning_rate,
                             train.clip_norm)  # fmt: skip
        for line in log.notes:
            self.record.note(line)
        blocks = -(-train.steps // train.eval_every) + 2
        return [*(Part({}, blocks, name=f"seed {seed}") for seed in self.seeds), Part({}, name=ALL)]

    def measure(self, part: Part) -> Tables:
        if part.name == ALL:
            return self._tables()
        seed = next(each for each in self.seeds if part.name == f"seed {each}")
        key = self.key(seed, Stream.parameters)
        state = training.begin(lora.begin(self.model, self.settings.lora.projections, self.settings.lora.rank, key),
                               self.recipe)  # fmt: skip
        rows, milliseconds, done, first = [self._row(seed, 0, state, None)], 0.0, 0, 0.0
        self.go_on()
        while done < self.recipe.steps:
            end = min(done + self.settings.train.eval_every, self.recipe.steps)
            state, losses_S, spent = self._trained(seed, done, end, state)
            first = first or float(losses_S[0])
            if why := divergence(np.asarray(losses_S), first, done):
                raise Diverged(f"the training loss {why} with seed {seed}; lower train.learning_rate or lora.alpha")
            rows.append(self._row(seed, end, state, float(np.mean(losses_S))))
            milliseconds, done = milliseconds + float(spent), end
            self.go_on()
        for name in self._evaluations:
            self.once(f"seed {seed}, test, {name}", self._answers, "test", name, state)
        spent_row = {Spent.TARGETS: self.settings.prompt.targets, Spent.MODELS: 1, Spent.STEPS: self.recipe.steps,
                     Spent.PER_STEP: self.recipe.batch_size * self.prompts.num_all_targets / len(self.prompts),
                     Spent.MILLISECONDS: milliseconds / self.recipe.steps, Spent.DEVICE: device_name()}  # fmt: skip
        return {Table.CURVES: rows, Table.SPENT: [spent_row] if seed == self.seeds[0] else []}

    def numbers(self, tables: Tables) -> dict[str, float | None]:
        return numbers(tables[Table.CLICKS])

    @property
    def _evaluations(self) -> tuple[str, ...]:
        return (SLIDING, STREAMING) if self.settings.prompt.targets > 1 else (SLIDING,)

    def _trained(self, seed: int, done: int, end: int, state: State) -> tuple[State, jax.Array, jax.Array]:
        """Return state, losses (S,) and milliseconds of the processor of some steps, which are stored."""
        place, store = f"seed {seed}, step {end}", self.record.partial
        like = state, jnp.zeros(end - done), jnp.zeros(())
        if (stored := store.learner(place, like)) is not None:
            return stored
        interrupt.check()
        numbers = [batch_indices(len(self.prompts), seed, step, self.recipe.batch_size) for step in range(done, end)]
        each = [self.prompts.batch(indices) for indices in numbers]
        batches = Batch(**{name: np.stack([batch[name] for batch in each]) for name in each[0]})
        reading = self._reading(batches)
        take = functools.partial(training.take_steps, reading=reading, alpha=self.settings.lora.alpha)
        begun = self.programs.watch.seconds["processor"]
        state, losses_S = self.programs.run("train", ("train", reading), take, self.model, state, batches, self.recipe)
        milliseconds = 1e3 * (self.programs.watch.seconds["processor"] - begun)  # without compiling
        return store.keep_learner(place, (state, losses_S, jnp.asarray(milliseconds)))

    def _row(self, seed: int, step: int, state: State, train_loss: float | None) -> dict:
        """Return a row of the curves."""
        label = self._labels("validation")
        losses = {
            name: float(np.mean(log_loss(label, self.once(
                f"seed {seed}, step {step}, {name}", self._answers, "validation", name, state
            )["logit"])))
            for name in self._evaluations
        }  # fmt: skip
        return {Curves.STEP: step, Curves.SEED: seed, f"train_loss.{DECODER}": train_loss} | {
            f"loss.{name}": loss for name, loss in losses.items()
        }

    def _log(self, split: str) -> ClickLog:
        return texts.first_targets(self.read, split, getattr(self.settings.eval, split))

    def _labels(self, split: str) -> np.ndarray:
        return np.asarray(self.read.label[targets_of(self._log(split), split)])

    def _answers(self, split: str, evaluation: str, state: State) -> Tree:
        """Return {"logit": (R,)}, the logit of a click on each target of a split, in the order of rows."""
        prompt, size = self.settings.prompt, self.settings.lm.batch
        prompts = Prompts(self._log(split), split, prompt.num_context, 1 if evaluation == SLIDING else prompt.targets)
        merge = functools.partial(lora.merged, alpha=self.settings.lora.alpha)
        model: LanguageModel = self.programs.run("evaluate", "merged", merge, self.model, state.factors)
        parts = []
        for places in in_order(len(prompts), size):
            batch = Batch(**prompts.batch(places))
            reading = self._reading(batch)
            answer = functools.partial(answers_of, reading=reading)
            logit_BxK = np.asarray(self.programs.run("evaluate", ("answer", reading), answer, model, batch))
            parts.append(logit_BxK[np.asarray(batch.is_target)])
        return {"logit": np.concatenate(parts)}

    def _reading(self, batch: Batch) -> Reading:
        """Return how prompts are read, with room for the longest of them."""
        prompt, label = self.settings.prompt, np.asarray(batch.label)
        counts = (np.asarray(batch.features) != ABSENT).sum(axis=(-2, -1)) + (label != ABSENT).sum(axis=-1)
        length = -(-int(counts.max()) // MULTIPLE) * MULTIPLE
        self.model.arch.needs(length + label.shape[-1], "a prompt")
        return Reading(self.labels, self.summary, SCHEMES[prompt.scheme], prompt.num_context, length)

    def _tables(self) -> Tables:
        """Return the rows that are about all seeds, which share test users."""
        fixed, notes = baselines.logits(self.log, self.settings.prompt.num_context, self.settings.eval.baseline)
        for line in notes:
            self.record.note(line)
        answers = {name: np.stack([self._test(seed, name) for seed in self.seeds]) for name in self._evaluations}
        return test_tables(self.log, self.settings.prompt.targets, self.seeds, answers, fixed)

    def _test(self, seed: int, evaluation: str) -> np.ndarray:
        tree = self.record.partial.tree(f"seed {seed}, test, {evaluation}")
        assert tree is not None  # the seed's part is done
        return tree["logit"]


def answers_of(model: LanguageModel, batch: Batch, reading: Reading) -> jax.Array:
    """Return the logit (B, k) of label 1 against label 0 for each target."""
    return click_logits(Reader(model, reading), batch)


run = LoraTuning.run_each
