"""Columns of the tables that kinds have in common which read demonstrations again and again. No JAX here."""

from enum import StrEnum


class Common(StrEnum):
    """Columns of iterations.csv, protocols.csv and norms.csv."""

    SEED = "seed"  # of the decoder, or of a set of demonstrations
    ETA = "eta"  # rate; empty where a protocol has none
    BETA = "beta"  # momentum; empty where a protocol has none
    ITERATIONS = "iterations"  # how many; in norms.csv the number of the iteration


class Iterations(StrEnum):
    """Columns of iterations.csv: one row per seed, rate, momentum and number of iterations."""

    ACCURACY = "accuracy"
    GAIN = "gain"  # of accuracy over plain in-context learning, which is one iteration
    LOSS_DIFFERENCE = "loss_difference"  # loss - that of plain in-context learning


class Norms(StrEnum):
    """Columns of norms.csv: one row per seed, rate, momentum, layer and iteration."""

    LAYER = "layer"  # from 1 on
    NORM = "norm"  # of the update
    RELATIVE = "relative"  # the norm / that of iteration 2; empty where that is nothing but rounding
    RECURRENCE = "recurrence"  # what the recurrence of the second layer says of RELATIVE


class Cost(StrEnum):
    """Columns of cost.csv: one row per way to answer."""

    WAY = "way"
    TOKENS_PER_PROMPT = "tokens_per_prompt"  # read once per prompt
    TOKENS_PER_QUERY = "tokens_per_query"  # read for each query
    ATTENDED = "attended"  # tokens that a token of a query attends to
    KEY_VALUE_BYTES = "key_value_bytes"  # of keys and values that are kept
    PROMPTS_THAT_FIT = "prompts_that_fit"  # the memory; empty where nothing is kept
    QUERIES_THAT_FIT = "queries_that_fit"  # of one prompt, with what is kept for all of them


NOTHING_KEPT, PREFIX_KEPT, THINKING = "in context, nothing kept", "in context, prefix kept", "Deep-Thinking"  # ways
