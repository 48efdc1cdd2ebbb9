"""The savings of packing k targets into one prompt, counted in interactions, tokens and operations.

A gain is the cost of k sliding windows of n + 1 interactions each, over that of one prompt of n + k interactions.
"""

import jax


def interactions_gain(num_context: int, num_targets: int) -> float:
    """Return n k / (n + k) [DTI, eq. 3]: windows count their context alone, the prompt its context and its targets."""
    return num_context * num_targets / (num_context + num_targets)


def tokens_gain(num_context: int, num_targets: int, tokens: int) -> float:
    """Return k ((n + 1) c + 1) / ((n + k) c + k): the gain in tokens, those of targets and their [SUM]s included.

    tokens: c, the tokens of an interaction.
    """
    n, k, c = num_context, num_targets, tokens
    return k * ((n + 1) * c + 1) / ((n + k) * c + k)


def projections_gain(num_context: int, num_targets: int, tokens: int, num_layers: int, mlp_ratio: float = 4.0) -> float:
    """Return the gain in operations of the matrix products with weights.

    They are 2 D^2 (4 + 2 r) for a token in a layer, r the MLP's width over D. In the last layer only keys and values of
    tokens are needed, 4 D^2, as answers are read off [SUM]s; so [SUM]s weigh more than in a count of tokens. Before the
    first layer all [SUM]s are alike, so their queries, keys and values, 6 D^2, are computed once for a batch.

    mlp_ratio: r.
    """
    n, k, c = num_context, num_targets, tokens
    layer = 2 * (4 + 2 * mlp_ratio)
    of_token, of_summary = layer * (num_layers - 1) + 4, layer * num_layers - 6
    return k * ((n + 1) * c * of_token + of_summary) / ((n + k) * c * of_token + k * of_summary)


def counted_flops(program: jax.stages.Compiled) -> float:
    """Return XLA's own count of a compiled program's floating-point operations; it counts the body of a loop once.

    Raises:
        ValueError: this kind of device reports no count.
    """
    costs = program.cost_analysis()
    if costs is None:
        raise ValueError("this kind of device reports no count of operations")
    return float(costs["flops"])
