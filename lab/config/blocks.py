"""The size of the blocks in which attention to a click stream is computed. No JAX here: the memory of a run depends on
it, too."""

FEWEST_TOKENS = 100  # half a window is a block where it has at least so many


def block_of(block: int | None, num_context: int, num_targets: int, num_features: int) -> int | None:
    """Return the number of interactions in a block of attention; None for a single block.

    The setting `block` decides (0 for a single block). Where it is None, the choice is the fastest one measured on a
    CPU core: a single block for short prompts; for longer prompts blocks of half a window, or of a whole window where
    half a window has too few tokens. Smaller blocks save operations, but their products are smaller too.
    `docs/results/dti_cost_blocks.csv` has the times.

    Args:
        num_context: n, the window.
        num_targets: k, the targets of a prompt.
        num_features: the features of an interaction. Its tokens are its features and its label.
    """
    if block is not None:
        return block or None
    half = -(-num_context // 2)
    if half * (num_features + 1) >= FEWEST_TOKENS:
        return half if 2 * num_targets >= 3 * num_context else None
    return num_context if num_targets >= 2 * num_context else None
