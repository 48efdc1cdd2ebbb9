"""One set of demonstrations: whether each row is right after each iteration, by rate, momentum and offset."""

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from experiments.demonstrations.deep_thinking.learner import step
from lab.language.model import History, LanguageModel
from lab.language.scoring import Tokens, exact, padded_history, read
from lab.learners.decoder_block import KeyValues
from tasks.texts.form import Item
from trainers.language import prompts
from trainers.language.opened import Opened
from trainers.language.prompts import Asked, Demonstrations


@struct.dataclass
class Thought:
    """The keys and values that queries see after an iteration, and norms (L,) of G_t of both; 0 for the first one."""

    history: History
    key_norms: jax.Array
    value_norms: jax.Array


def think(
    model: LanguageModel,
    tokens: Tokens,
    iterations: int,
    eta: float | jax.Array,
    beta: float | jax.Array,
    offset: bool = True,
) -> Iterator[Thought]:
    """Yield the keys and values of demonstrations after 1 .. T iterations; the first is plain in-context learning.

    They and M are float32, also for weights in bfloat16, whose 8 bits would lose small steps. Queries stand behind the
    demonstrations, at L, L + 1, ..., in every iteration.

    Args:
        tokens: the demonstrations.
        iterations: T.
        offset: whether their positions, read again, go on at L, as in the source's program, or are 0 .. L - 1 again.

    Raises:
        ConfigError: the model has fewer positions than the demonstrations need, twice their number with `offset`.
    """
    count = len(tokens)
    model.arch.needs(
        count * (2 if offset and iterations > 1 else 1),
        "the demonstrations, read again" if offset else "the demonstrations",
    )
    tokens_S = padded_history(tokens)
    history = read(model, tokens_S, count)
    momentum = jax.tree.map(jnp.zeros_like, (history.keys, history.values))
    still = jnp.zeros(len(history.keys), history.keys.dtype)
    yield Thought(history, still, still)
    for _ in range(iterations - 1):
        history, momentum, (key_norms, value_norms) = _read_again(model, tokens_S, history, momentum, eta, beta, offset)
        yield Thought(history, key_norms, value_norms)


@jax.jit
def _read_again(
    model: LanguageModel,
    tokens_S: jax.Array,
    history: History,
    momentum: KeyValues,
    eta: jax.Array,
    beta: jax.Array,
    offset: jax.Array,
) -> tuple[History, KeyValues, tuple[jax.Array, jax.Array]]:
    """Return K~, M and the norms of G of keys and values, (L,) each, after one more reading."""
    past = history.keys, history.values
    visibility = model.visibility(len(tokens_S), history, start=jnp.where(offset, history.length, 0))
    layers = model.forward(model.embed(tokens_S, visibility.positions), visibility, past, ("keys", "values"))
    again = exact(layers["keys"]), exact(layers["values"])
    past, momentum, gap = step(past, momentum, again, eta, beta)
    real_S = jnp.arange(len(tokens_S)) < history.length  # those behind are padding
    norms = tuple(jnp.sqrt(jnp.sum(jnp.where(real_S[None, None, :, None], g, 0) ** 2, axis=(1, 2, 3))) for g in gap)
    return History(*past, history.length), momentum, (norms[0], norms[1])


Measured = dict[str, np.ndarray]


def thought(
    opened: Opened,
    demonstrations: Demonstrations,
    iterations: int,
    eta: float,
    beta: float,
    offset: bool,
    batch: int,
    say: Callable[[int], None],
) -> Measured:
    """Return what reading again does, after each of T iterations.

    Args:
        batch: rows that are scored at once.
        say: called with the number of an iteration before its rows are scored.

    Returns:
        `right` (T, X) and `loss` (T, X) of the test rows, `validation` (T, V), whether the validation rows are right,
        and `key_norms` (T, L), norms of the updates of keys.
    """
    right, losses, validation, norms = [], [], [], []
    encoded = asked_behind(opened, demonstrations)
    for number, each in enumerate(think(opened.model, encoded.tokens, iterations, eta, beta, offset), start=1):
        say(number)
        test, chosen_by = (
            prompts.answers(opened, items, queries, each.history, batch)
            for items, queries in zip((opened.texts.test, demonstrations.validation), encoded.queries, strict=True)
        )
        right.append(test.right)
        losses.append(test.loss)
        validation.append(chosen_by.right)
        norms.append(np.asarray(each.key_norms, np.float64))
    arrays = {"right": right, "loss": losses, "validation": validation, "key_norms": norms}
    return {name: np.stack(each) for name, each in arrays.items()}


def asked_behind(opened: Opened, demonstrations: Demonstrations) -> Asked:
    """Return the test rows and the validation rows behind the demonstrations, whose shared tokens are read again."""
    return prompts.asked(opened, demonstrations.items, opened.texts.test, demonstrations.validation)


def controls(opened: Opened, demonstrations: Demonstrations, batch: int) -> Measured:
    """Return whether the test rows are right (X,): without demonstrations, and with each of them shown twice.

    Where demonstrations do not fit twice, `twice` is missing.
    """
    measured = {"zero_shot": prompts.answers_behind(opened, [], batch)[0].right}
    items = [*demonstrations.items, *demonstrations.items]
    if prompts.fits(opened, items):
        measured["twice"] = prompts.answers_behind(opened, items, batch)[0].right
    return measured


def by_examples(opened: Opened, items: list[Item], counts: list[int], batch: int, say: Callable[[], None]) -> Measured:
    """Return `right` and `loss` (N, X) of the test rows behind the first demonstrations of a set, by their number, and
    `tokens` (N,) of these."""
    right, losses, tokens = [], [], []
    for count in counts:
        answers, length = prompts.answers_behind(opened, items[:count], batch)
        right.append(answers.right)
        losses.append(answers.loss)
        tokens.append(length)
        say()
    return {"right": np.stack(right), "loss": np.stack(losses), "tokens": np.array(tokens)}
