"""The settings of each task: plain dataclasses, so that the command line can read them without importing JAX.

A field of type `float` changes no shape and is traced (it can be swept inside one compiled program), as are whole
numbers with the mark `traced`; all other fields are static. A field's metadata holds its meaning in a sentence, and the
limits of its values, which the error messages quote.
"""

import copy
import enum
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


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


def key(default: T, sentence: str = "", unit: str = "", **marks: float | str) -> T:
    """Return a field with its meaning, which `--help` prints and reports show.

    Args:
        default: its value; every object gets a list or dictionary of its own.
        sentence: its meaning, of at most some 90 characters, with a full stop.
        unit: of its value, such as "seconds".
        marks: the limits `at_least`, `above`, `at_most`, and `even` with a reason, of a value or of each in a list; of
            a list `some`, it is not empty, and `once`, it has no value twice; `within`, the name of a field beside it
            that it must not exceed; and what `lab.config.base` calls marks.
    """
    metadata = {"sentence": sentence, "unit": unit, **marks}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: copy.deepcopy(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def chosen(sentence: str) -> Any:
    """Return a field for one of several schemas, as `task=plain` names it; composing settings sets it."""
    return key(None, sentence)


def positive(default: int, sentence: str = "", unit: str = "", **marks: float | str):
    """Return a field for a whole number >= 1."""
    return key(default, sentence, unit, at_least=1, at_most=2**31 - 1, **marks)


def at_least_two(default: int, sentence: str = "", unit: str = ""):
    """Return a field for a whole number >= 2."""
    return key(default, sentence, unit, at_least=2, at_most=2**31 - 1)


def several(default: list, sentence: str = "", **limits: float) -> Any:
    """Return a field for a list with at least one value, and none twice."""
    return key(default, sentence, "", some=True, once=True, **limits)


def nonnegative(default: float, sentence: str = "", unit: str = ""):
    """Return a field for a number >= 0."""
    return key(default, sentence, unit, at_least=0)


def a_world(contents: str):
    """Return a field for the seed of what all episodes share; it is traced, and `Task.of_seed` moves it."""
    sentence = f"Seed of the {contents}, to which every seed of a run adds its own number."
    return key(0, sentence, at_least=0, at_most=2**30, traced=True)


def above_zero(default: float, sentence: str = "", unit: str = ""):
    """Return a field for a number > 0."""
    return key(default, sentence, unit, above=0)


MODERATE: dict[str, Any] = {
    "at_least": 1e-4,
    "at_most": 1e4,
}  # limits of factors of x, whose sixth powers must fit into float32


@dataclass
class Parameters:
    """The settings that every task has."""

    name: str = ""
    num_context: int = positive(10, "N, the examples in the context.")


@dataclass
class Regression(Parameters):
    """The settings that every synthetic regression task has."""

    num_queries: int = positive(1, "Q, the queries that share a context and never see each other.")
    input_dim: int = positive(10, "d_x, the width of an input x.")
    output_dim: int = positive(1, "d_y, the width of a target y.")
    scale: float = key(1.0, "alpha: inputs are drawn as x ~ U(-alpha, alpha).", **MODERATE)


@dataclass
class Plain(Regression):
    name: str = "plain"


@dataclass
class Skewed(Regression):
    name: str = "skewed"
    condition: float = key(
        10.0, "Ratio of the largest variance of an input to the smallest.", at_least=1, at_most=MODERATE["at_most"]
    )


@dataclass
class RagLinear(Regression):
    name: str = "rag_linear"
    num_documents: int = positive(5, "k, documents retrieved for each example.")
    doc_dim: int = positive(1, "Width of one document; z holds the k of them side by side.")


@dataclass
class RagDot(Regression):
    name: str = "rag_dot"
    num_documents: int = positive(5, "k, documents of the whole episode.")
    sigma: float = key(0.1, "Standard deviation of the entries of W_z and M.", at_least=0, at_most=1e4)
    shared: bool = key(False, "Give all episodes one W_z and one M: a retriever that can be learned.")
    shared_seed: int = key(0, "Seed from which the shared W_z and M are drawn.", at_least=0, at_most=2**31 - 1)


@dataclass
class Tabular(Parameters):
    name: str = "tabular"
    num_documents: int = positive(5, "k, rows of the training split that are retrieved for the query.")
    retrieval: Retrieval = key(Retrieval.zscore, "Normalisation of queries and rows in the search for documents.")
    context: Context = key(Context.random, "Rows that are a query's context: random ones, or the nearest.")


PROBABILITY: dict[str, Any] = {"at_least": 0, "at_most": 1}


@dataclass
class ShiftedClasses(Parameters):
    name: str = "shifted_classes"
    num_context: int = positive(16, "N, the most examples that an episode shows.")
    num_queries: int = positive(8, "Queries of an episode.")
    input_dim: int = positive(8, "d, the width of an input x.")
    num_classes: int = key(4, "C, the number of classes.", at_least=2, at_most=1024)
    noise: float = above_zero(2.0, "sigma: x ~ N(mean of its class, sigma^2).")
    shift: float = above_zero(2.0, "tau: the mean of a class in an episode ~ N(its prototype, tau^2).")
    permuted: float = key(0.0, "Probability that an episode permutes its labels.", **PROBABILITY)
    label_noise: float = key(0.0, "Probability that the label of an example is drawn anew.", **PROBABILITY)
    empty: float = key(0.1, "Probability that an episode shows no examples; else it shows 0 to N.", **PROBABILITY)
    balanced: bool = key(False, "Examples come in rounds, each with every class once; else their classes are drawn.")
    world: int = a_world("prototypes")


@dataclass
class Markov(Parameters):
    name: str = "markov"
    num_context: int = positive(48, "N, transitions of a sequence, which are its queries too.")
    num_symbols: int = at_least_two(8, "C, the number of symbols.")
    concentration: float = key(
        0.5, "a: rows of a transition matrix are drawn from Dirichlet(a).", at_least=1e-3, at_most=1e4
    )


@dataclass
class HmmMixture(Parameters):
    name: str = "hmm_mixture"
    num_context: int = positive(48, "N, transitions of a sequence, which are its queries too.")
    num_symbols: int = at_least_two(8, "C, the number of symbols.")
    num_models: int = positive(6, "K, the number of models; each sequence comes from one of them.")
    num_hidden: int = positive(5, "H, the hidden states of each model.")
    world: int = a_world("models")


@dataclass
class Clicks(Parameters):
    name: str = "clicks"
    num_context: int = positive(10, "n, interactions before the first target, and in a sliding window.")
    num_targets: int = positive(50, "k, the further interactions of a stream.")
    num_categories: int = positive(4, "A, the number of categories of items.")
    num_brands: int = positive(4, "B, the number of brands of items.")
    num_tastes: int = at_least_two(4, "Z, the number of tastes, of which a user has one at a time.")
    change: float = key(0.02, "delta: probability that the taste is drawn anew before an interaction.", **PROBABILITY)
    strength: float = above_zero(1.8, "beta: standard deviation of the logit's terms of category and brand.")
    world: int = key(0, "Seed of the tastes.", at_least=0, at_most=2**31 - 1)


@dataclass
class OrderedClicks(Clicks):
    name: str = "ordered_clicks"
    lag: int = positive(1, "How many interactions before an item the one is whose category matters.")


@dataclass
class Recommend(Parameters):
    name: str = "recommend"
    num_context: int = positive(32, "N, the most demonstrations that an episode shows.")
    num_queries: int = positive(8, "Queries of an episode.")
    item_dim: int = positive(6, "d, the number of an item's features.")
    slate: int = key(50, "S, the candidates of a query.", at_least=2, at_most=2**31 - 1)
    taste: float = nonnegative(0.7, "Factor of the preference that does not depend on the last item.")
    habit: float = nonnegative(1.5, "Factor of the preference that depends on the last item.")
    spread: float = nonnegative(1.2, "The entries of the habits R have the standard deviation spread / sqrt(d).")
    sharpness: float = nonnegative(3.0, "Sharpness of the softmax of choices; at 0 all items are equally likely.")
    constant: float = nonnegative(0.7, "The last feature of every demonstration and query.")
    contamination: float = key(0.0, "Share of the demonstrations that is another person's.", **PROBABILITY)
    any_count: bool = key(False, "Show a random number of demonstrations, 1 to N, and not all N.")


@dataclass
class Items(Parameters):
    name: str = "items"
    num_context: int = positive(29, "N, transitions of a user, who takes N + 1 items.")
    num_items: int = key(200, "C, the number of items in the catalogue.", at_least=2, at_most=2**31 - 1)
    taste_dim: int = positive(4, "d, the width of tastes and of the items' features.")
    popularity: float = nonnegative(0.9, "Standard deviation of the utility that an item has for every user.")
    trend: float = nonnegative(0.0, "Half the change of popularity over all time, in its standard deviations.")
    habit: float = nonnegative(1.2, "Standard deviation of the utility that depends on the item before.")
    taste: float = nonnegative(1.2, "Standard deviation of the utility that depends on the user's taste.")
    drift: float = key(0.03, "Share of a taste's variance that is new at each item.", **PROBABILITY)
    visit: float = key(0.3, "Duration of a user's visit, as a share of all time.", **PROBABILITY)
    world: int = key(0, "Seed of the items.", at_least=0, at_most=2**31 - 1)


@dataclass
class Functions(Parameters):
    """The settings that every class of functions has."""

    num_context: int = positive(16, "N, inputs of an episode; query t sees the t examples before it.")
    input_dim: int = positive(5, "d_x, the width of an input x.")


@dataclass
class RealFunctions(Functions):
    """The settings that every class of functions with real values has."""

    noise: float = key(0.0, "Standard deviation of the noise on the answers of the context.", at_least=0, at_most=1e4)


@dataclass
class Linear(RealFunctions):
    name: str = "linear"


@dataclass
class SparseLinear(RealFunctions):
    name: str = "sparse_linear"
    nonzero: int = positive(3, "Coordinates of w that are not 0, at most d_x.", within="input_dim")


@dataclass
class Quadratic(RealFunctions):
    name: str = "quadratic"


@dataclass
class ReluNetwork(RealFunctions):
    name: str = "relu_network"
    hidden: int = positive(100, "H, the hidden units of the network.")


@dataclass
class DecisionTree(RealFunctions):
    name: str = "decision_tree"
    depth: int = key(4, "Depth of the tree, which has 2^depth leaves.", at_least=1, at_most=16)


@dataclass
class Sine(RealFunctions):
    name: str = "sine"
    input_dim: int = key(1, "d_x, the width of an input x, which is 1 here.", at_least=1, at_most=1)


@dataclass
class SineRegression(Regression):
    name: str = "sine_regression"
    input_dim: int = key(1, "d_x, the width of an input x, which is 1 here.", at_least=1, at_most=1)
    output_dim: int = key(1, "d_y, the width of a target y, which is 1 here.", at_least=1, at_most=1)
    scale: float = key(5.0, "Inputs are drawn as x ~ U(-scale, scale).", **MODERATE)


@dataclass
class Halfspaces(Functions):
    name: str = "halfspaces"


@dataclass
class Logistic(Functions):
    name: str = "logistic"
    slope: float = above_zero(1.0, "Factor of w . x in the logit of label 1.")


@dataclass
class ChangingTeacher(Parameters):
    """The settings of linear teachers that change from example to example: W ~ N(0, 1 / d_x)."""

    num_context: int = positive(24, "N, the examples in the context, in their order; the queries come after them.")
    num_queries: int = positive(1, "Q, the queries, all at one time.")
    input_dim: int = positive(8, "d_x, the width of an input x.")
    output_dim: int = positive(1, "d_y, the width of a target y.")
    noise: float = key(  # less is rounding: the filters' variances are in single precision
        0.1, "sigma: standard deviation of the noise on the targets of the context.", at_least=1e-3
    )
    skew: float = key(0.0, "p: x_i ~ N(0, c / i^p) for i = 1 to d_x, with a mean variance of 1.", at_least=0, at_most=4)


@dataclass
class Drifting(ChangingTeacher):
    name: str = "drifting"
    persistence: float = key(0.9, "a: W_t = a W_{t-1} + sqrt((1 - a^2) / d_x) e_t with e_t ~ N(0, 1).", **PROBABILITY)


@dataclass
class Switching(ChangingTeacher):
    name: str = "switching"
    change: float = key(0.1, "p: probability that the teacher is drawn anew after an example.", **PROBABILITY)


@dataclass
class Recall(Parameters):
    name: str = "recall"
    num_context: int = positive(24, "N, pairs of key and value; a key comes back with another value.")
    num_queries: int = positive(1, "Q, the queries, each one of the keys that were shown.")
    num_keys: int = positive(4, "The number of keys, at most d_x.", within="input_dim")
    input_dim: int = positive(8, "d_x, the width of a key; keys have length 1 and are orthogonal.")
    output_dim: int = positive(1, "d_y, the width of a value, which is ~ N(0, I).")


_ALL = (
    Plain, Skewed, RagLinear, RagDot, Tabular, ShiftedClasses, Markov, HmmMixture, Clicks, OrderedClicks, Recommend,
    Items, Linear, SparseLinear, Quadratic, ReluNetwork, DecisionTree, Sine, Halfspaces, Logistic,
    SineRegression, Drifting, Switching, Recall,
)  # fmt: skip
SCHEMAS: dict[str, type[Parameters]] = {schema.name: schema for schema in _ALL}


class TaskError(Exception):
    """A task cannot be registered, or not be used for an experiment. Its message is the one line that the user sees."""


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
