"""The learners of comparisons, with one row per learner: its name in tables, and its looks in figures.

This file imports no JAX, so that figures and reports can be made from tables without it.
"""

import dataclasses

from lab.errors import UserError


@dataclasses.dataclass(frozen=True)
class Role:
    """The way in which tables, figures and pages show a learner.

    identifier: its name in tables and columns. label: its name in legends. colour, line: in Matplotlib's notation.
    sentence: a description. in_figures: whether figures of all learners show it (floors and controls would crowd them).
    """

    identifier: str
    label: str
    colour: str
    line: str
    sentence: str
    in_figures: bool = True


# Colours are those of Okabe and Ito's palette, then of Tol's muted one, which colour-blind readers can tell apart.
_ROLES = (
    Role("transformer", "trained Transformer", "#0072B2", "-", "the Transformer that is trained in context"),
    Role(
        "gradient_descent", "gradient descent", "#E69F00", "-",
        "one step per layer on the task's loss over the context, at the best rate of a line search",
    ),
    Role(
        "squared_descent", "descent on squared error", "#E69F00", "--",
        "one step per layer on the context's squared error, where the task's own loss is another",
    ),
    Role(
        "constructed", "constructed Transformer", "#000000", ":",
        "the Transformer whose weights are set by hand so that its forward pass is gradient descent",
    ),
    Role(
        "interpolated", "interpolated", "#009E73", "--",
        "half-way between the trained and the constructed Transformer, in their QK and OV circuits",
    ),
    Role(
        "gd_plus_plus", "GD++", "#882255", "-",
        "gradient descent that also transforms the inputs at every step, at meta-trained rates",
    ),
    Role(
        "heavy_ball", "heavy-ball descent", "#CC79A7", "-.",
        "gradient descent with momentum, one step per layer, at a meta-trained rate and momentum",
    ),
    Role(
        "preconditioned", "preconditioned descent", "#44AA99", ":",
        "gradient descent whose every gradient is multiplied by a meta-trained matrix, one step per layer",
    ),
    Role(
        "four_rates", "GD++ that reads targets", "#AA4499", "-",
        "GD++ whose rates also depend on the residuals: linear attention with four meta-trained numbers per layer",
    ),
    Role(
        "newton", "iterative Newton", "#D55E00", "-.",
        "least squares by iterating Newton's method for the inverse of the second moment, one step per layer",
    ),
    Role(
        "learned_descent", "descent on learned features", "#999933", "-",
        "gradient descent on features that are meta-trained for it",
    ),
    Role(
        "own_descent", "descent on the Transformer's features", "#661100", "-.",
        "gradient descent on the features of the trained Transformer, at the best rate",
    ),
    Role(
        "fitted_rag", "RAG fitted to the table", "#332288", "--",
        "a model of learned features and of the mean document, fitted to a table's training rows without a context",
    ),
    Role(
        "ridge", "ridge regression", "#44AA99", "--",
        "ridge regression on the context's examples: a floor where targets are noisy", in_figures=False,
    ),
    Role(
        "least_squares", "least squares", "#117733", ":",
        "the linear model of smallest norm that fits the context best: a floor where targets have no noise",
        in_figures=False,
    ),
    Role("mean", "mean", "#999999", ":", "the mean target, 0, as the answer to every query", in_figures=False),
    Role(
        "shuffled", "shuffled-label control", "#AA4499", "--",
        "the trained Transformer, shown each example of its context with the target of another", in_figures=False,
    ),
    Role(
        "oracle", "best single step, in theory", "#999999", "-",
        "one step of gradient descent from zero at the rate that theory gives", in_figures=False,
    ),
    Role(
        "retrieved_descent", "one step from the retrieved model", "#009E73", "-.",
        "one step of gradient descent from the linear model that the documents stand for", in_figures=False,
    ),
    Role(
        "further_descent", "one step more", "#CC6677", "--",
        "gradient descent with as many steps as there are layers, the one that merges interleaved tokens among them",
    ),
    Role(
        "boosting", "gradient boosting", "#332288", "-.",
        "histogram gradient boosting, fitted to a table's whole training split", in_figures=False,
    ),
    Role(
        "decoder", "trained decoder", "#332288", "-", "the causal Transformer that is trained in context",
        in_figures=False,
    ),
    Role(
        "optimal", "Bayes-optimal", "#D55E00", "-", "the Bayes-optimal answer to the examples that are shown",
        in_figures=False,
    ),
    Role(
        "averaging", "averaging", "#999933", "-.",
        "the mean of target times input as the linear model of a prompt", in_figures=False,
    ),
    Role(
        "nearest", "3 nearest neighbours", "#CC6677", "-.", "the mean target of the 3 nearest examples",
        in_figures=False,
    ),
    Role(
        "posterior", "Bayes-optimal, sampled", "#D55E00", "--",
        "the Bayes-optimal answer to labels, by sampling linear functions that the examples allow", in_figures=False,
    ),
    Role("lasso", "Lasso", "#009E73", "-", "least squares with a penalty on the sum of |w|", in_figures=False),
    Role(
        "prompt_network", "network trained on the prompt", "#882255", "--",
        "a two-layer network that Adam trains on the examples of each prompt", in_figures=False,
    ),
    Role(
        "greedy_tree", "greedy tree", "#117733", "-", "a decision tree, grown greedily on each prompt",
        in_figures=False,
    ),
    Role(
        "tree_boosting", "tree boosting", "#E69F00", ":",
        "gradient boosting of trees, fitted to the examples of each prompt", in_figures=False,
    ),
    Role(
        "sign_tree", "greedy tree on signs", "#117733", "-.",
        "a decision tree, grown greedily on the signs of each prompt's inputs", in_figures=False,
    ),
    Role(
        "sign_boosting", "tree boosting on signs", "#AA4499", ":",
        "gradient boosting of trees, fitted to the signs of each prompt's inputs", in_figures=False,
    ),
)  # fmt: skip

ROLES: dict[str, Role] = {role.identifier: role for role in _ROLES}


def register(role: Role) -> None:
    """Add the row of a new learner.

    Raises:
        UserError: another learner has that name.
    """
    if role.identifier in ROLES:
        raise UserError(f"learner {role.identifier}: this name is taken by: {ROLES[role.identifier].sentence}")
    ROLES[role.identifier] = role
