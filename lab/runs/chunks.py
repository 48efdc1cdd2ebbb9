"""Dividing what does not fit at a time."""


def evenly(items: int, most: int) -> tuple[int, int]:
    """(how many chunks, the size of each) of so many items, at most `most` in one and as even as can be; the last may
    reach beyond them.

    >>> evenly(10, 4)
    (3, 4)
    >>> evenly(9, 4), evenly(4, 4)
    ((3, 3), (1, 4))
    """
    chunks = -(-items // most)
    return chunks, -(-items // chunks)
