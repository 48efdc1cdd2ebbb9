"""What can be set of each task: plain dataclasses, so that the command line knows them without importing JAX.

A field's type says how it is treated: a `float` changes no shape and is traced (it can be swept inside one compiled
program), everything else is static. Its metadata says what is allowed and is what the error messages quote.
"""

import enum
from dataclasses import dataclass, field


class Law(enum.Enum):
    """The distribution of the inputs x at test time; in training it is uniform."""

    uniform = "uniform"
    normal = "normal"
    exponential = "exponential"
    laplace = "laplace"


class Context(enum.Enum):
    """Which rows of a table are a query's context."""

    random = "random"
    nearest = "nearest"


class Retrieval(enum.Enum):
    """What the dot products are of that documents are retrieved by; the documents are z-scored rows in both cases."""

    zscore = "zscore"  # z-scored queries and rows, whatever is done to the inputs
    inputs = "inputs"  # both normalised as the inputs are (`data.normalization`)


def positive(default: int):
    """A whole number >= 1."""
    return field(default=default, metadata={"at_least": 1, "at_most": 2**31 - 1})


def at_least_two(default: int):
    """A whole number >= 2."""
    return field(default=default, metadata={"at_least": 2, "at_most": 2**31 - 1})


def nonnegative(default: float):
    """A number >= 0."""
    return field(default=default, metadata={"at_least": 0})


def above_zero(default: float):
    """A number > 0."""
    return field(default=default, metadata={"above": 0})


MODERATE = {"at_least": 1e-4, "at_most": 1e4}  # of factors of x: losses are made of its sixth powers, in float32


@dataclass
class Parameters:
    """What every task has."""

    name: str = ""
    num_context: int = positive(10)  # N, examples in the context


@dataclass
class Regression(Parameters):
    """What every synthetic regression task has."""

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
    shared_seed: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # which one


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
    permuted: float = field(default=0.0, metadata=PROBABILITY)  # of an episode whose labels are permuted
    label_noise: float = field(default=0.0, metadata=PROBABILITY)  # of an example whose label is drawn anew
    empty: float = field(default=0.1, metadata=PROBABILITY)  # of an episode without examples; else any number, 0 to N
    world: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # which prototypes


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
    num_models: int = positive(6)  # a sequence is of one of them
    num_hidden: int = positive(5)  # hidden states of each
    world: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # which models


@dataclass
class Clicks(Parameters):
    name: str = "clicks"
    num_context: int = positive(10)  # n, interactions before the first target, and those that a window holds
    num_targets: int = positive(50)  # of a stream
    num_categories: int = positive(4)  # A
    num_brands: int = positive(4)  # B
    num_tastes: int = at_least_two(4)  # Z, of which a user has one at a time
    change: float = field(
        default=0.02, metadata=PROBABILITY
    )  # delta, that the taste is drawn anew before an interaction
    strength: float = above_zero(1.8)  # beta, of the tastes: standard deviation of what an item adds to the logit
    world: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # which tastes


@dataclass
class OrderedClicks(Clicks):
    name: str = "ordered_clicks"


@dataclass
class Recommend(Parameters):
    name: str = "recommend"
    num_context: int = positive(32)  # N, the most demonstrations that an episode shows
    num_queries: int = positive(8)
    item_dim: int = positive(6)  # d, of an item's features
    slate: int = field(default=50, metadata={"at_least": 2, "at_most": 2**31 - 1})  # S, candidates of a query
    taste: float = nonnegative(0.7)  # factor of what a user likes whatever the last item
    habit: float = nonnegative(1.5)  # factor of what they like after an item
    spread: float = nonnegative(1.2)  # of habits: entries of R have the standard deviation spread / sqrt(d)
    sharpness: float = nonnegative(3.0)  # of choices: 0 is any item alike
    constant: float = nonnegative(0.7)  # the last feature of every demonstration and query
    contamination: float = field(default=0.0, metadata=PROBABILITY)  # of demonstrations, that are another person's
    any_count: bool = False  # an episode shows any number of its demonstrations, 1 to N; else all of them


@dataclass
class Items(Parameters):
    name: str = "items"
    num_context: int = positive(29)  # N, transitions of a user, who takes N + 1 items
    num_items: int = field(default=200, metadata={"at_least": 2, "at_most": 2**31 - 1})  # C, the catalogue
    taste_dim: int = positive(4)  # d, of tastes and of what they are about
    popularity: float = nonnegative(0.9)  # standard deviation of an item's utility to everybody
    trend: float = nonnegative(0.0)  # how far popularity moves from the first day to the last, in its own deviations
    habit: float = nonnegative(1.2)  # of the utility after an item
    taste: float = nonnegative(1.2)  # of the utility to a user's taste
    drift: float = field(default=0.03, metadata=PROBABILITY)  # of a taste from one item to the next
    visit: float = field(default=0.3, metadata=PROBABILITY)  # how long a user stays, as a share of all time
    world: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # which items


@dataclass
class Functions(Parameters):
    """What every class of functions has."""

    num_context: int = positive(16)  # N, inputs of an episode: query t sees the t examples before it
    input_dim: int = positive(5)  # d_x


@dataclass
class RealFunctions(Functions):
    """What every class of functions with real values has."""

    noise: float = field(default=0.0, metadata={"at_least": 0, "at_most": 1e4})  # deviation, on the context's answers


@dataclass
class Linear(RealFunctions):
    name: str = "linear"


@dataclass
class SparseLinear(RealFunctions):
    name: str = "sparse_linear"
    nonzero: int = positive(3)  # coordinates of w


@dataclass
class Quadratic(RealFunctions):
    name: str = "quadratic"


@dataclass
class ReluNetwork(RealFunctions):
    name: str = "relu_network"
    hidden: int = positive(100)  # H


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
    slope: float = above_zero(1.0)  # of the probability of label 1, in w . x


_ALL = (
    Plain, RagLinear, RagDot, Tabular, ShiftedClasses, Markov, HmmMixture, Clicks, OrderedClicks, Recommend, Items,
    Linear, SparseLinear, Quadratic, ReluNetwork, DecisionTree, Sine, Halfspaces, Logistic,
    SineRegression,
)  # fmt: skip
SCHEMAS: dict[str, type[Parameters]] = {schema.name: schema for schema in _ALL}


class TaskError(Exception):
    """A task of the user's own that cannot be registered. Its message is the one line that they see."""


def register_schema(schema: type[Parameters]) -> None:
    """Give the settings of a task their place on the command line.

    Raises:
        TaskError: it has no name, or the name is taken.
    """
    if not schema.name:
        raise TaskError(f"task {schema.__name__}: its settings have no name; give them name: str = ...")
    if SCHEMAS.get(schema.name, schema) is not schema:
        raise TaskError(f"task {schema.name}: the name is taken; taken are {', '.join(SCHEMAS)}")
    SCHEMAS[schema.name] = schema
