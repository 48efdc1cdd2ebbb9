"""The answer to how many functions training must show before a decoder learns their class and not those few."""

from analysis.report.sentences import counted, joined, over_points, sentence, signed
from analysis.report.values import Measured, claimed, number, setting

DMMSE, RIDGE = "distance_fresh.dmmse", "distance_fresh.ridge"


def answer_of_run(summary: dict) -> str:
    """Return the answer that the decoder is nearer to on new functions: that for its pool, or for the whole class."""
    pool, whole = number(summary, DMMSE), number(summary, RIDGE)
    if pool is None or whole is None:
        return ""
    nearer = {
        True: "nearer to the best answer for all functions",
        False: "nearer to the best answer for its pool alone",
        None: "about as near to the best answer for all functions as to that for its pool alone",
    }[_is_nearer(pool, whole)]
    functions = counted(int(_size(summary)), "function")
    first = (
        f"trained on a pool of {functions}, the decoder answers new ones {nearer}: squared "
        f"distances {whole.text()} from ridge regression and {pool.text()} from dMMSE, of E f²"
    )
    return sentence(first, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return up to which size of the pool decoders are nearer to its own answer, and from which on to the class's."""
    points = {_size(point): point for point in summary["points"].values()}
    if len(points) < len(summary["points"]):  # further settings differ
        noun = "the squared distance from ridge regression on new functions, of E f²,"
        return sentence(over_points(summary, RIDGE, noun), summary=summary)
    nearer = {
        size: _is_nearer(pool, whole)
        for size, point in sorted(points.items())
        if (pool := number(point, DMMSE)) and (whole := number(point, RIDGE))
    }
    if not nearer:
        return ""
    of_class = [size for size in nearer if all(nearer[other] for other in nearer if other >= size)]
    of_pool = [size for size in nearer if all(nearer[other] is False for other in nearer if other <= size)]
    unclear = [f"{size:g}" for size, each in nearer.items() if each is None]
    few = f"up to {of_pool[-1]:g} of them nearer to the best answer for these alone" if of_pool else ""
    many = f"from {of_class[0]:g} on nearer to the best answer for all functions" if of_class else ""
    first = "the number of functions in training does not decide which answer a decoder is nearer to on new functions"
    if few or many:
        first = f"by the number of functions in training, a decoder's answers on new ones are {joined((few, many))}"
    paired = claimed(summary, "fresh: log2 distance").items()
    second = joined(f"{signed(each)} at {name.split(',')[0]}" for name, each in paired)
    return sentence(
        first,
        f"errors are too large to say at {joined(unclear)}" if unclear else "",
        f"log2 of the distance from the pool's best answer over that from the class's is {second}" if second else "",
        summary=summary,
    )


def _is_nearer(pool: Measured, whole: Measured) -> bool | None:
    """Return whether answers are nearer to the whole class's; None where distances differ by less than two errors."""
    return None if (difference := pool - whole).is_noise else difference.mean > 0


def _size(summary: dict) -> float:
    return float(setting(summary, "pool.size"))
