"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    ITERATIONS = "iterations"
    PROTOCOLS = "protocols"
    NORMS = "norms"
    TASKS = "tasks"
    COST = "cost"


class Common(StrEnum):
    """Columns that iterations.csv, protocols.csv and norms.csv have in common."""

    SEED = "seed"  # of the decoder
    ETA = "eta"  # rate; empty where a protocol has none
    BETA = "beta"  # momentum; empty where a protocol has none
    ITERATIONS = "iterations"  # how many; in norms.csv the number of the iteration


class Iterations(StrEnum):
    """Columns of iterations.csv: one row per decoder, rate, momentum and number of iterations."""

    ACCURACY = "accuracy"
    GAIN = "gain"  # of accuracy over plain in-context learning, which is one iteration
    LOSS_DIFFERENCE = "loss_difference"  # loss - that of plain in-context learning


class Protocols(StrEnum):
    """Columns of protocols.csv: one row per decoder and protocol, and rate, momentum and queries where it has some."""

    PROTOCOL = "protocol"  # as `rows.protocol_rows` has them
    SCORED = "scored"  # queries of a task that choose its number of iterations; empty where none do
    GAIN = "gain"  # of accuracy over plain in-context learning


class Norms(StrEnum):
    """Columns of norms.csv: one row per decoder, rate, momentum, layer and iteration."""

    LAYER = "layer"  # from 1 on
    NORM = "norm"  # of the update
    RELATIVE = "relative"  # the norm / that of iteration 2; empty where that is nothing but rounding
    RECURRENCE = "recurrence"  # what the recurrence of the second layer says of RELATIVE


class Tasks(StrEnum):
    """Columns of tasks.csv: one row per decoder and test episode, at the first rate and momentum.

    Gains are those of all iterations over plain in-context learning. In nats they are of the log-loss, which changes
    with every answer: accuracy changes only where another class comes first.
    """

    EPISODE = "episode"
    SCORED = "gain_scored"  # accuracy, on the most queries that choose a number of iterations
    FRESH = "gain_fresh"  # accuracy, on the others
    NATS_SCORED = "nats_scored"  # by which the loss is lower, on the most queries that choose
    NATS_FRESH = "nats_fresh"  # on the others
    NORM = "first_update"  # the norm of the first update, over all layers
    ENTROPY = "entropy"  # of the answers after one reading, mean over all queries, in nats


class Cost(StrEnum):
    """Columns of cost.csv: one row per way to answer."""

    WAY = "way"
    TOKENS_PER_PROMPT = "tokens_per_prompt"  # read once per prompt
    TOKENS_PER_QUERY = "tokens_per_query"  # read for each query
    ATTENDED = "attended"  # tokens that a token of a query attends to
    KEY_VALUE_BYTES = "key_value_bytes"  # of keys and values that are kept
    PROMPTS_THAT_FIT = "prompts_that_fit"  # the memory; empty where nothing is kept
    QUERIES_THAT_FIT = "queries_that_fit"  # of one prompt, with what is kept for all of them
