"""One set of demonstrations: a language model zero-shot, in context and fine-tuned, and how alike the latter two are.

Fine-tuning has two controls: `other`, on demonstrations of none of whose rows the set has, and `shuffled`, on the set's
own with their labels in another order. `random` are directions and orders that are drawn. `layer_causal` is another
descent, and `untrained` is the whole comparison with a model of random weights.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from analysis.metrics.transfer import cosine, kendall, sim_am, sim_aou, unit
from experiments.demonstrations.language_finetune.settings import Loss
from experiments.demonstrations.language_finetune.tracing import Trace, products, trace
from experiments.demonstrations.language_finetune.tuning import Examples, examples_of, fine_tuned
from lab.language.model import LanguageModel
from lab.language.scoring import encode
from lab.language.shapes import init_params
from tasks.texts.form import Item
from tasks.texts.order import ordered
from trainers.language import prompts
from trainers.language.opened import Opened
from trainers.language.prompts import Answers, Demonstrations

FAR = -1e30  # in place of -inf, which has no differences: demonstrations outside of a window tie
Measured = dict[str, np.ndarray]
Descent = Callable[[LanguageModel, Examples, float], tuple[LanguageModel, jax.Array]]  # such as `fine_tuned`


@dataclasses.dataclass(frozen=True)
class Reading:
    """The answers of a model to the test rows, and the arrays of their last tokens."""

    answers: Answers
    trace: Trace

    @property
    def measured(self) -> Measured:
        """The numbers of each row: whether it is right, the loss of the right answer, and the answer given; (X,)."""
        return {"right": self.answers.right, "loss": self.answers.loss, "chosen": self.answers.chosen}


@dataclasses.dataclass(frozen=True)
class Tuned:
    """A fine-tuned model, and what its attention read of the demonstrations when each had its turn, (N, L, T, D)."""

    model: LanguageModel
    examples: Examples
    read: jax.Array


def zero_shot(opened: Opened, batch: int, may_diverge: bool = False) -> Reading:
    """Read the test rows without demonstrations.

    Args:
        batch: rows that are read at once.
        may_diverge: as `prompts.answers` takes it.
    """
    test, queries = opened.texts.test, prompts.queries(opened, opened.texts.test)
    traced = trace(opened.model, [query.prompt for query in queries], special_of(opened), batch=batch)
    return Reading(prompts.answers(opened, test, queries, None, batch, may_diverge), traced)


def in_context(opened: Opened, demonstrations: Demonstrations, batch: int) -> Reading:
    """Read the test rows behind a set of demonstrations.

    The tokens of a row that are its own are as many as it has zero-shot, counted from its last one.
    """
    items, test = demonstrations.items, opened.texts.test
    encoded, bounds = prompts.asked(opened, items, test), prompts.bounds_of(opened, items, test[0])
    queries, history = encoded.queries[0], encode(opened.model, encoded.tokens)
    alone, special = prompts.queries(opened, test), special_of(opened)
    others = [len(each.prompt) - len(a.prompt) + special for each, a in zip(queries, alone, strict=True)]
    traced = trace(opened.model, [query.prompt for query in queries], others, history, bounds, batch)
    return Reading(prompts.answers(opened, test, queries, history, batch), traced)


def untrained(opened: Opened, key: jax.Array) -> Opened:
    """Return the same texts with a model of the same architecture and type, whose weights are drawn at random."""
    model = opened.model
    params = jax.jit(init_params, static_argnums=(0, 2))(model.arch, key, str(model.params["embed"].dtype))
    return dataclasses.replace(opened, model=dataclasses.replace(model, params=params))


def tuned_on(
    opened: Opened, items: list[Item], rate: float, loss: Loss, epochs: int, descent: Descent = fine_tuned
) -> Tuned:
    """Fine-tune the model on demonstrations, in their order."""
    queries = prompts.queries(opened, items)
    answers = [query.answers[item.right] for query, item in zip(queries, items, strict=True)]
    questions = [query.prompt for query in queries]
    examples = examples_of(questions, answers, special_of(opened), loss is Loss.label)
    model, read = descent(opened.model, examples, rate)
    for _ in range(epochs - 1):
        model, read = descent(model, examples, rate)
    return Tuned(model, examples, read)


def validated(opened: Opened, tuned: Tuned, items: list[Item], batch: int) -> Measured:
    """Return `right` and `loss` (V,) of a fine-tuned model on rows that nothing is in front of; NaN where it
    diverged."""
    queries, changed = prompts.queries(opened, items), dataclasses.replace(opened, model=tuned.model)
    answers = prompts.answers(changed, items, queries, None, batch, may_diverge=True)
    return {"right": _finite(answers.right, answers.loss), "loss": _finite(answers.loss, answers.loss)}


def of_arm(opened: Opened, tuned: Tuned, zero: Reading, context: Reading, batch: int) -> Measured:
    """Return the measures of a fine-tuned model; NaN where it diverged.

    Returns:
        `right`, `loss` and `chosen` (X,); and in each layer (L, X) `sim_aou`, `sim_aou_centred`, `sim_am`; `kendall`,
        of scores and of projected queries, as the source's program has it, and `kendall_inputs`, of attention and of
        its inputs. `sim_aou_plain` and `sim_am_change` are the first and the third as Deutch et al. correct them
        (sections 3.1 and 3.2): of outputs that are not normalised, and of changes from the zero-shot maps.
    """
    reading = zero_shot(dataclasses.replace(opened, model=tuned.model), batch, may_diverge=True)
    attended = [jnp.asarray(np.moveaxis(each.trace["attended"], 1, 0)) for each in (zero, context, reading)]
    aou, centred = sim_aou(*attended)
    count = min(len(tuned.read), context.trace["scores"].shape[-1])
    attention = products(tuned.model, tuned.read[:count], tuned.examples.own[:count], reading.trace["inputs"], batch)
    measured = reading.measured | {
        "sim_aou": np.asarray(aou),
        "sim_aou_centred": np.asarray(centred),
        "sim_aou_plain": np.asarray(cosine(*(each - attended[0] for each in attended[1:]))),
        "sim_am": alike(context, reading, batch),
        "sim_am_change": alike(context, reading, batch, zero),
        "kendall": same_order(context.trace["scores"][..., :count], attention["projected"], batch),
        "kendall_inputs": same_order(context.trace["weights"][..., :count], attention["inputs"], batch),
    }
    return {name: _finite(each, reading.answers.loss) for name, each in measured.items()}


def at_random(zero: Reading, context: Reading, key: jax.Array, batch: int) -> Measured:
    """Return `sim_aou` and `kendall` (L, X) with random directions and orders in place of what fine-tuning does."""
    of_directions, of_orders = jax.random.split(key)
    output_zero, output_context = (unit(jnp.asarray(each.trace["attended"])) for each in (zero, context))
    random = jax.random.normal(of_directions, output_zero.shape)
    order = jax.random.uniform(of_orders, context.trace["scores"].shape)
    return {
        "sim_aou": np.asarray(cosine(output_context - output_zero, random).T),
        "kendall": same_order(context.trace["scores"], np.asarray(order), batch),
    }


def alike(context: Reading, other: Reading, batch: int, less: Reading | None = None) -> np.ndarray:
    """Return the similarity of the attention maps of two readings, less a third one's maps, (L, X)."""
    maps = [each.trace["own"] - (less.trace["own"] if less else 0) for each in (context, other)]
    parts = [
        np.asarray(sim_am(*(jnp.moveaxis(jnp.asarray(each[first : first + batch]), 0, 2) for each in maps)))
        for first in range(0, len(maps[0]), batch)
    ]
    return np.concatenate(parts, axis=1)


def same_order(a_XxLxN: np.ndarray, b_XxLxN: np.ndarray, batch: int) -> np.ndarray:
    """Return Kendall's tau of two attentions to the same demonstrations, (L, X); NaN for a single demonstration."""
    if a_XxLxN.shape[-1] < 2:
        return np.full(a_XxLxN.shape[1::-1], np.nan)
    parts = [
        np.asarray(kendall(*(jnp.maximum(each[first : first + batch], FAR) for each in (a_XxLxN, b_XxLxN))))
        for first in range(0, len(a_XxLxN), batch)
    ]
    return np.concatenate(parts).T


def shuffled(items: list[Item], name: str, seed: int) -> list[Item]:
    """Return demonstrations with their right answers in another order, which is the same on every machine."""
    order = ordered(range(len(items)), f"{name}/labels", seed)
    return [
        dataclasses.replace(item, right=items[place].right % len(item.answers))
        for item, place in zip(items, order, strict=True)
    ]


def special_of(opened: Opened) -> int:
    """Return how many tokens every text begins with."""
    return len(opened.tokenizer.encode("", special=True))


def _finite(values: np.ndarray, loss_X: np.ndarray) -> np.ndarray:
    """Return values as numbers, or NaN for all of them where a loss is not finite."""
    return np.where(np.isfinite(loss_X).all(), np.asarray(values, np.float64), np.nan)
