"""At which steps of a training there is an evaluation: evenly spaced, and denser at the start, where curves move."""

EARLY = 4  # evaluations before the first regular one


def stops(steps: int, every: int, early: int = EARLY) -> list[int]:
    """The steps of a training's evaluations, in order and each once.

    They are 0, all multiples of `every`, the last step, and before the first multiple u, 2u, 4u, ... with
    u = every // 2**early: so at most `early` of them, each twice as far as the one before. Where `every` is too small
    for that, u is 1. From one of these to the next it is u steps or a multiple of u, so a program of u steps reaches
    them all.

    >>> stops(300, 100)
    [0, 6, 12, 24, 48, 100, 200, 300]
    >>> stops(7, 3)
    [0, 1, 2, 3, 6, 7]

    Args:
        steps: of the training, at least 1.
        every: between regular evaluations, at least 1.
        early: evaluations before the first regular one; 0 for none.
    """
    unit = max(1, every >> early)
    doubled = [unit << power for power in range(early)]
    return sorted({0, *(step for step in doubled if step < min(every, steps)), *range(0, steps, every), steps})
