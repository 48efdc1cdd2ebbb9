"""A log as a language model reads it: an interaction's features are the tokens of its text."""

import dataclasses

import numpy as np

from experiments.clicks.dti_language.settings import PromptText
from lab.errors import ConfigError, printable, short
from lab.language.tokens import Tokenizer
from tasks.logs.log import ABSENT, SPLITS, ClickLog


def in_tokens(log: ClickLog, tokenizer: Tokenizer, prompt: PromptText) -> ClickLog:
    """Return the log with the tokens of each interaction's text, a line of the values of some columns, as features.

    Raises:
        ConfigError: the log has no such column, or none that can be read.
    """
    item = None if log.item is None else log.slots[log.item]
    columns = prompt.columns or [name for place, name in enumerate(log.columns) if place != item]
    if wrong := [name for name in columns if name not in log.columns] or ([] if columns else [""]):
        there = ", ".join(log.columns)
        raise ConfigError(f"prompt.columns={short(printable(wrong[0]))}: to be read as text there are {there}")
    values = [*log.tokens(), None]  # the last one is an absent feature's
    slots = [place for place, column in enumerate(log.slots) if log.columns[column] in columns]
    rows_XxF, which_R = np.unique(np.asarray(log.features)[:, slots], axis=0, return_inverse=True)
    texts = ["\n" + " ".join(value for number in row if (value := values[number])) for row in rows_XxF]
    encoded = [tokenizer.encode(text)[: prompt.longest] for text in texts]
    table_XxW = np.full((len(texts), max(1, *map(len, encoded))), ABSENT, np.int32)
    for row, tokens in enumerate(encoded):
        table_XxW[row, : len(tokens)] = tokens
    return dataclasses.replace(log, features=table_XxW[which_R.ravel()])


def word_of(tokenizer: Tokenizer, text: str, name: str) -> int:
    """Return the token of a word.

    Raises:
        ConfigError: it is not one token.
    """
    tokens = tokenizer.encode(text)
    if len(tokens) != 1:
        raise ConfigError(f"{name}: {short(repr(text))} is {len(tokens)} tokens of the model, and must be one")
    return tokens[0]


def first_targets(log: ClickLog, split: str, most: int) -> ClickLog:
    """Return the log with at most so many targets of each user in a split, the first; later splits mean nothing."""
    bounds, place = np.array(log.bounds), SPLITS.index(split)
    bounds[:, place + 1] = np.minimum(bounds[:, place + 1], bounds[:, place] + most)
    return dataclasses.replace(log, bounds=bounds)
