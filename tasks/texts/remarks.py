"""Notes on labelled texts for a reader of the results: rows that are there twice."""

from collections.abc import Sequence

from tasks.texts.form import Item


def doubled(items: Sequence[Item], key: str) -> list[str]:
    """Return a note with the number of rows that repeat an earlier one in text and answers, if any do.

    Args:
        key: of the settings that names their file.
    """
    count = len(items) - len({_content(item) for item in items})
    return [f"{count:,} of {len(items):,} rows of {key} {_verb(count)} an earlier one"] if count else []


def in_both(train: Sequence[Item], test: Sequence[Item]) -> list[str]:
    """Return a note with the number of test rows that are among the rows to demonstrate, if any are."""
    to_demonstrate = {_content(item) for item in train}
    count = sum(_content(item) in to_demonstrate for item in test)
    be = "is" if count == 1 else "are"
    return (
        [f"{count:,} of {len(test):,} test rows {be} among the rows to demonstrate (text and answer)"] if count else []
    )


def _content(item: Item) -> tuple[str, tuple[str, ...], int]:
    return item.prompt, item.answers, item.right


def _verb(count: int) -> str:
    return "repeats" if count == 1 else "repeat"
