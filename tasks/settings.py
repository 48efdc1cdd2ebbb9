"""The settings of each task: plain dataclasses, so that the command line can read them without importing JAX.

A field of type `float` changes no shape and is traced (it can be swept inside one compiled program); all other fields
are static. A field's metadata holds the limits of its values, which the error messages quote.
"""

import enum
from dataclasses import dataclass, field


class Law(enum.Enum):
    """The distribution of the inputs x at test time. In training it is uniform."""

    uniform = "uniform"
    normal = "normal"
    exponential = "exponential"
    laplace = "laplace"


class Context(enum.Enum):
    """The choice of the rows of a table that are a query's context."""

    random = "random"
    nearest = "nearest"


class Retrieval(enum.Enum):
    """The normalisation of queries and rows whose dot products select the documents.

    The documents themselves are z-scored rows in both cases.
    """

    zscore = "zscore"  # z-scored, whatever the normalisation of the inputs
    inputs = "inputs"  # normalised as the inputs are (`data.normalization`)


def positive(default: int):
    """Return a field for a whole number >= 1."""
    return field(default=default, metadata={"at_least": 1, "at_most": 2**31 - 1})


def at_least_two(default: int):
    """Return a field for a whole number >= 2."""
    return field(default=default, metadata={"at_least": 2, "at_most": 2**31 - 1})


def nonnegative(default: float):
    """Return a field for a number >= 0."""
    return field(default=default, metadata={"at_least": 0})


def above_zero(default: float):
    """Return a field for a number > 0."""
    return field(default=default, metadata={"above": 0})


MODERATE = {"at_least": 1e-4, "at_most": 1e4}  # limits of factors of x, whose sixth powers must fit into float32


@dataclass
class Parameters:
    """The settings that every task has."""

    name: str = ""
    num_context: int = positive(10)  # N, examples in the context


@dataclass
class Regression(Parameters):
    """The settings that every synthetic regression task has."""

    num_queries: int = positive(1)  # Q, queries that share the context and never see each other
    input_dim: int = positive(10)  # d_x
    output_dim: int = positive(1)  # d_y
    scale: float = field(default=1.0, metadata=MODERATE)  # alpha: x ~ U(-alpha, alpha)


@dataclass
class Plain(Regression):
    name: str = "plain"


@dataclass
class RagLinear(Regression):
    name: str = "rag_linear"
    num_documents: int = positive(5)  # k, documents retrieved for each example
    doc_dim: int = positive(1)  # width of one document; z holds the k of them side by side


@dataclass
class RagDot(Regression):
    name: str = "rag_dot"
    num_documents: int = positive(5)  # k, documents of the whole episode
    # Standard deviation of the entries of W_z and M.
    sigma: float = field(default=0.1, metadata={"at_least": 0, "at_most": 1e4})
    shared: bool = False  # one W_z and one M for all episodes: a retriever that can be learned
    shared_seed: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # from which it is drawn


@dataclass
class Tabular(Parameters):
    name: str = "tabular"
    num_documents: int = positive(5)  # k, rows of the training split, retrieved for the query
    retrieval: Retrieval = Retrieval.zscore
    context: Context = Context.random


PROBABILITY = {"at_least": 0, "at_most": 1}


@dataclass
class ShiftedClasses(Parameters):
    name: str = "shifted_classes"
    num_context: int = positive(16)  # N, the most examples that an episode shows
    num_queries: int = positive(8)
    input_dim: int = positive(8)  # d
    num_classes: int = field(default=4, metadata={"at_least": 2, "at_most": 1024})  # C
    noise: float = above_zero(2.0)  # sigma: x ~ N(mean of its class, sigma^2)
    shift: float = above_zero(2.0)  # tau: mean of a class in an episode ~ N(its prototype, tau^2)
    permuted: float = field(default=0.0, metadata=PROBABILITY)  # that an episode permutes its labels
    label_noise: float = field(default=0.0, metadata=PROBABILITY)  # that the label of an example is drawn anew
    empty: float = field(default=0.1, metadata=PROBABILITY)  # that an episode shows no examples; else 0 to N of them
    world: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # seed of the prototypes


@dataclass
class Markov(Parameters):
    name: str = "markov"
    num_context: int = positive(48)  # N, transitions of a sequence, which are its queries too
    num_symbols: int = at_least_two(8)  # C
    concentration: float = field(default=0.5, metadata={"at_least": 1e-3, "at_most": 1e4})  # a: rows ~ Dirichlet(a)


@dataclass
class HmmMixture(Parameters):
    name: str = "hmm_mixture"
    num_context: int = positive(48)  # N, transitions of a sequence, which are its queries too
    num_symbols: int = at_least_two(8)  # C
    num_models: int = positive(6)  # K, each sequence comes from one of them
    num_hidden: int = positive(5)  # H, hidden states of each model
    world: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # seed of the models


@dataclass
class Clicks(Parameters):
    name: str = "clicks"
    num_context: int = positive(10)  # n, interactions before the first target, and in a sliding window
    num_targets: int = positive(50)  # k, the further interactions of a stream
    num_categories: int = positive(4)  # A
    num_brands: int = positive(4)  # B
    num_tastes: int = at_least_two(4)  # Z, of which a user has one at a time
    # delta, that the taste is drawn anew before an interaction
    change: float = field(default=0.02, metadata=PROBABILITY)
    strength: float = above_zero(1.8)  # beta, standard deviation of the logit's terms of category and brand
    world: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # seed of the tastes


@dataclass
class OrderedClicks(Clicks):
    name: str = "ordered_clicks"


@dataclass
class Recommend(Parameters):
    name: str = "recommend"
    num_context: int = positive(32)  # N, the most demonstrations that an episode shows
    num_queries: int = positive(8)
    item_dim: int = positive(6)  # d, the number of an item's features
    slate: int = field(default=50, metadata={"at_least": 2, "at_most": 2**31 - 1})  # S, candidates of a query
    taste: float = nonnegative(0.7)  # factor of the preference that does not depend on the last item
    habit: float = nonnegative(1.5)  # factor of the preference that depends on the last item
    spread: float = nonnegative(1.2)  # the entries of the habits R have the standard deviation spread / sqrt(d)
    sharpness: float = nonnegative(3.0)  # of the softmax of choices; at 0 all items are equally likely
    constant: float = nonnegative(0.7)  # the last feature of every demonstration and query
    contamination: float = field(default=0.0, metadata=PROBABILITY)  # share of demonstrations of another person
    any_count: bool = False  # true: an episode shows a random number of demonstrations, 1 to N; false: all N


@dataclass
class Items(Parameters):
    name: str = "items"
    num_context: int = positive(29)  # N, transitions of a user, who takes N + 1 items
    num_items: int = field(default=200, metadata={"at_least": 2, "at_most": 2**31 - 1})  # C, the catalogue
    taste_dim: int = positive(4)  # d, width of tastes and of the items' features
    popularity: float = nonnegative(0.9)  # standard deviation of the utility that an item has for every user
    trend: float = nonnegative(0.0)  # half the change of popularity over all time, in its own standard deviations
    habit: float = nonnegative(1.2)  # standard deviation of the utility that depends on the item before
    taste: float = nonnegative(1.2)  # standard deviation of the utility that depends on the user's taste
    drift: float = field(default=0.03, metadata=PROBABILITY)  # share of a taste's variance that is new at each item
    visit: float = field(default=0.3, metadata=PROBABILITY)  # duration of a user's visit, as a share of all time
    world: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # seed of the items


@dataclass
class Functions(Parameters):
    """The settings that every class of functions has."""

    num_context: int = positive(16)  # N, inputs of an episode: query t sees the t examples before it
    input_dim: int = positive(5)  # d_x


@dataclass
class RealFunctions(Functions):
    """The settings that every class of functions with real values has."""

    # Standard deviation of the noise on the answers of the context.
    noise: float = field(default=0.0, metadata={"at_least": 0, "at_most": 1e4})


@dataclass
class Linear(RealFunctions):
    name: str = "linear"


@dataclass
class SparseLinear(RealFunctions):
    name: str = "sparse_linear"
    nonzero: int = positive(3)  # the number of coordinates of w that are not 0


@dataclass
class Quadratic(RealFunctions):
    name: str = "quadratic"


@dataclass
class ReluNetwork(RealFunctions):
    name: str = "relu_network"
    hidden: int = positive(100)  # H, the hidden units


@dataclass
class DecisionTree(RealFunctions):
    name: str = "decision_tree"
    depth: int = field(default=4, metadata={"at_least": 1, "at_most": 16})  # there are 2^depth leaves


@dataclass
class Sine(RealFunctions):
    name: str = "sine"
    input_dim: int = field(default=1, metadata={"at_least": 1, "at_most": 1})


@dataclass
class SineRegression(Regression):
    name: str = "sine_regression"
    input_dim: int = field(default=1, metadata={"at_least": 1, "at_most": 1})
    output_dim: int = field(default=1, metadata={"at_least": 1, "at_most": 1})
    scale: float = field(default=5.0, metadata=MODERATE)  # x ~ U(-scale, scale)


@dataclass
class Halfspaces(Functions):
    name: str = "halfspaces"


@dataclass
class Logistic(Functions):
    name: str = "logistic"
    slope: float = above_zero(1.0)  # the factor of w . x in the logit of label 1


_ALL = (
    Plain, RagLinear, RagDot, Tabular, ShiftedClasses, Markov, HmmMixture, Clicks, OrderedClicks, Recommend, Items,
    Linear, SparseLinear, Quadratic, ReluNetwork, DecisionTree, Sine, Halfspaces, Logistic,
    SineRegression,
)  # fmt: skip
SCHEMAS: dict[str, type[Parameters]] = {schema.name: schema for schema in _ALL}


class TaskError(Exception):
    """The error of a user's own task that cannot be registered. Its message is the one line that the user sees."""


def register_schema(schema: type[Parameters]) -> None:
    """Make the settings of a task available on the command line.

    Raises:
        TaskError: it has no name, or the name is taken.
    """
    if not schema.name:
        raise TaskError(f"task {schema.__name__}: its settings have no name; give them name: str = ...")
    if SCHEMAS.get(schema.name, schema) is not schema:
        raise TaskError(f"task {schema.name}: the name is taken; taken are {', '.join(SCHEMAS)}")
    SCHEMAS[schema.name] = schema
