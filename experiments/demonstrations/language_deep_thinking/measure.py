"""One set of demonstrations: whether each row is right after each iteration, by rate, momentum and offset."""

from collections.abc import Callable

import numpy as np

from experiments.demonstrations.language_deep_thinking.thinking import think
from lab.language.scoring import encode
from tasks.texts.form import Item
from trainers.language import prompts
from trainers.language.opened import Opened
from trainers.language.prompts import Answers, Asked, Demonstrations

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
    measured = {"zero_shot": _behind(opened, [], batch)[0].right}
    items = [*demonstrations.items, *demonstrations.items]
    if prompts.fits(opened, items):
        measured["twice"] = _behind(opened, items, batch)[0].right
    return measured


def by_examples(opened: Opened, items: list[Item], counts: list[int], batch: int, say: Callable[[], None]) -> Measured:
    """Return `right` and `loss` (N, X) of the test rows behind the first demonstrations of a set, by their number, and
    `tokens` (N,) of these."""
    right, losses, tokens = [], [], []
    for count in counts:
        answers, length = _behind(opened, items[:count], batch)
        right.append(answers.right)
        losses.append(answers.loss)
        tokens.append(length)
        say()
    return {"right": np.stack(right), "loss": np.stack(losses), "tokens": np.array(tokens)}


def _behind(opened: Opened, items: list[Item], batch: int) -> tuple[Answers, int]:
    """Return the answers to the test rows behind demonstrations, and the number of tokens of these."""
    encoded = prompts.asked(opened, items, opened.texts.test)
    history = encode(opened.model, encoded.tokens) if items else None
    return prompts.answers(opened, opened.texts.test, encoded.queries[0], history, batch), len(encoded.tokens)
