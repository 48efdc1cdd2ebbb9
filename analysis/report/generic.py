"""The results of any kind of experiment: its numbers. Kinds without a report of their own use this one."""

from analysis.figures.words import in_words, main_names
from analysis.report.blocks import Block, Cell, Table, number, verdicts

MOST = 5  # numbers that are shown of each point; points.csv has all


def of_run(summary: dict) -> list[Block]:
    """Return a table of a run's numbers, from its summary."""
    numbers = summary["numbers"]
    rows: list[tuple[Cell, ...]] = [
        (in_words(name), number(numbers, name, significant=True)) for name in main_names(numbers)
    ]
    if not rows:
        return []
    return [Table("Numbers (mean ± standard error, where it is known)", ("number", "value"), rows)]


def of_points(summary: dict) -> list[Block]:
    """Return a table of the first numbers of each point; if points are sweeps, of how many of their claims hold."""
    points = summary["points"]
    if not points:
        return []
    if any("points" in point for point in points.values()):
        rows = [
            (name, verdicts(point.get("claims", [])), str(len(point.get("points", [name]))), _total(point))
            for name, point in points.items()
        ]
        return [Table("Parts", ("part", "claims", "runs", "seconds"), rows)]
    names = main_names(name for point in points.values() for name in point["numbers"])[:MOST]
    rows = [
        (place, *(number(point["numbers"], name, significant=True) for name in names))
        for place, point in points.items()
    ]
    heads = ("point", *(in_words(name).replace(", ", ",\n") for name in names))
    return [Table("Points (mean ± standard error, where it is known)", heads, rows)]


def answer_of_run(summary: dict) -> str:
    """Return how many claims hold, as one sentence; without claims, the first number."""
    if summary["claims"]:
        return f"{verdicts(summary['claims'])}."
    name = next(iter(main_names(summary["numbers"])), None)
    return f"{in_words(name)}: {number(summary['numbers'], name, significant=True).text(4)}." if name else ""


def answer_of_points(summary: dict) -> str:
    """Return how many claims hold, as one sentence; without claims, how many points are done."""
    if summary["claims"]:
        return f"{verdicts(summary['claims'])}."
    points, failed = len(summary["points"]), len(summary.get("failed", {}))
    return f"{points} points are done" + (f", {failed} failed." if failed else ".")


def _total(summary: dict) -> str:
    return f"{summary['seconds'].get('total', 0):.0f}"
