"""One set of demonstrations: whether each row is right after each iteration, by rate, momentum and offset."""

from collections.abc import Callable

import numpy as np

from lab.language.model import History
from lab.language.scoring import encode
from lab.language.thinking import think
from tasks.texts.form import Item
from trainers.language import prompts
from trainers.language.opened import Opened
from trainers.language.prompts import Demonstrations

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
    for number, each in enumerate(think(opened.model, demonstrations.tokens, iterations, eta, beta, offset), start=1):
        say(number)
        test = prompts.answers(opened, opened.texts.test, each.history, batch)
        right.append(test.right)
        losses.append(test.loss)
        validation.append(prompts.answers(opened, demonstrations.validation, each.history, batch).right)
        norms.append(np.asarray(each.key_norms, np.float64))
    arrays = {"right": right, "loss": losses, "validation": validation, "key_norms": norms}
    return {name: np.stack(each) for name, each in arrays.items()}


def controls(opened: Opened, demonstrations: Demonstrations, batch: int) -> Measured:
    """Return whether the test rows are right (X,): without demonstrations, and with each of them shown twice.

    Where demonstrations do not fit twice, `twice` is missing.
    """
    measured = {"zero_shot": _right(opened, None, batch)}
    doubled = prompts.tokens_of(opened, [*demonstrations.items, *demonstrations.items])
    positions = opened.model.arch.max_positions
    if positions is None or len(doubled) + prompts.longest(opened) <= positions:
        measured["twice"] = _right(opened, encode(opened.model, doubled), batch)
    return measured


def by_examples(opened: Opened, items: list[Item], counts: list[int], batch: int, say: Callable[[], None]) -> Measured:
    """Return `right` and `loss` (N, X) of the test rows behind the first demonstrations of a set, by their number, and
    `tokens` (N,) of these."""
    right, losses, tokens = [], [], []
    for count in counts:
        each = prompts.tokens_of(opened, items[:count]) if count else []
        answers = prompts.answers(opened, opened.texts.test, encode(opened.model, each) if count else None, batch)
        right.append(answers.right)
        losses.append(answers.loss)
        tokens.append(len(each))
        say()
    return {"right": np.stack(right), "loss": np.stack(losses), "tokens": np.array(tokens)}


def _right(opened: Opened, history: History | None, batch: int) -> np.ndarray:
    return prompts.answers(opened, opened.texts.test, history, batch).right
