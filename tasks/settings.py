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
    num_symbols: int = field(default=8, metadata={"at_least": 2, "at_most": 2**31 - 1})  # C
    concentration: float = field(default=0.5, metadata={"at_least": 1e-3, "at_most": 1e4})  # a: rows ~ Dirichlet(a)


@dataclass
class HmmMixture(Parameters):
    name: str = "hmm_mixture"
    num_context: int = positive(48)  # N, transitions of a sequence, which are its queries too
    num_symbols: int = field(default=8, metadata={"at_least": 2, "at_most": 2**31 - 1})  # C
    num_models: int = positive(6)  # a sequence is of one of them
    num_hidden: int = positive(5)  # hidden states of each
    world: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # which models


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
class Halfspaces(Functions):
    name: str = "halfspaces"


@dataclass
class Logistic(Functions):
    name: str = "logistic"
    slope: float = above_zero(1.0)  # of the probability of label 1, in w . x


SCHEMAS: dict[str, type[Parameters]] = {
    schema.name: schema
    for schema in (
        Plain,
        RagLinear,
        RagDot,
        Tabular,
        ShiftedClasses,
        Markov,
        HmmMixture,
        Linear,
        SparseLinear,
        Quadratic,
        ReluNetwork,
        DecisionTree,
        Sine,
        Halfspaces,
        Logistic,
    )
}


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
