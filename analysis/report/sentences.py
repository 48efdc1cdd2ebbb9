"""Phrases of answers: ranges, verdicts and seeds, as parts of a sentence."""

from collections.abc import Iterable, Mapping, Sequence

from analysis.report.values import number, seeds


def over_points(summary: Mapping, name: str, noun: str, digits: int = 3) -> str:
    """Return the range of a number over the points of a sweep, with the points at its ends; "" without points.

    Args:
        noun: the number's name in the sentence.
    """
    points = summary["points"]
    values = {place: value for place, point in points.items() if (value := number(point, name))}
    if not values:
        return ""
    low, high = (bound(values, key=lambda place: values[place].mean) for bound in (min, max))
    ends = [f"{values[place].text(digits)} ({place})" for place in dict.fromkeys((low, high))]
    if len(values) > 1 and values[low].mean == values[high].mean:
        ends = [f"{values[low].text(digits)} at each"]
    rest = f"; {len(points) - len(values)} have none" if len(values) < len(points) else ""
    return f"over {counted(len(values), 'point')} {noun} is {' to '.join(ends)}{rest}"


def verdicts(claims: Sequence[Mapping]) -> str:
    """Return '3 of 4 claims hold, 1 without a verdict'; "" without claims. If none has a verdict, the first reason is
    added.
    """
    outcomes = [claim["holds"] for claim in claims]
    first = next((claim for claim in claims if claim.get("why")), {"why": "no number is known"})
    reason = "errors are too large" if first.get("deciding") else first["why"]
    if len(outcomes) == 1:
        verdict = {True: "holds", False: "does not hold", None: f"has no verdict ({reason})"}[outcomes[0]]
        return f"the claim {verdict}"
    if outcomes.count(None) == len(outcomes):
        return f"none of the {len(outcomes)} claims has a verdict ({reason})" if claims else ""
    rest = f", {outcomes.count(None)} without a verdict" if None in outcomes else ""
    return f"{outcomes.count(True)} of {len(outcomes)} claims hold{rest}"


def own_claims(summary: Mapping) -> list[Mapping]:
    """Return the claims of a run or sweep itself or, if it has none, the claims of its points."""
    claims = summary.get("claims", [])
    return [claim for claim in claims if "point" not in claim] or claims


def in_seeds(summary: Mapping) -> str:
    """Return '3 seeds', for a sweep the seeds of each point; for a single seed also whether it has errors."""
    runs = _runs(summary)
    counts = sorted({seeds(run) for run in runs}) or [1]
    if counts == [1]:
        names = [name for run in runs for name in run["numbers"]]
        errors = "± within it" if any(name.endswith(".stderr") for name in names) else "no ± known"
        return f"one seed, {errors}" if names else "one seed"
    each = " per point" if len(runs) > 1 else ""
    return f"{' to '.join(str(count) for count in (counts[0], counts[-1])[: len(counts)])} seeds{each}"


def _runs(summary: Mapping) -> list[Mapping]:
    """Return a run itself, or all runs of a sweep and of the sweeps in it."""
    points = summary["points"].values() if "points" in summary else None
    return [summary] if points is None else [run for point in points for run in _runs(point)]


def places(names: Sequence[str], all_names: Sequence[str], most: int = 4) -> str:
    """Return '2 of 3 points (a, b)': the points that a sentence is about, by number and name, or the exceptions if
    these are fewer.

    Args:
        names: the points that it is about.
        all_names: all points.
        most: the most names that are written out.
    """
    rest = [name for name in all_names if name not in names]
    count = f"{len(names)} of {counted(len(all_names), 'point')}"
    if not names or not rest:
        return f"all {len(names)} points" if len(names) > 1 else f"{count}{f' ({names[0]})' if names else ''}"
    if len(rest) < len(names):
        return f"{count} (all but {_some(rest, most)})"
    return f"{count} ({_some(names, most)})"


def _some(names: Sequence[str], most: int) -> str:
    """Return the first names, and the number of the rest; names that have commas are divided by semicolons."""
    further = len(names) - most
    first = ("; " if any(", " in name for name in names) else ", ").join(names[:most])
    return first if further <= 0 else f"{first} and {further} more"


def counted(count: int, noun: str) -> str:
    """Return '1 point' or '3 points'."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def sentence(finding: str, *further: str, summary: Mapping | None = None) -> str:
    """Return a finding and further clauses as one sentence, or as two if they are long.

    Args:
        finding: "" where nothing was measured.
        further: clauses; empty ones are left out.
        summary: its verdicts, seeds and failed points end the sentence; None: the clauses name these.

    Returns:
        "" without a finding.
    """
    if not finding:
        return ""
    rest = [clause for clause in further if clause]
    if summary is not None:
        failed = len(summary.get("failed", {}))
        rest += [verdict] if (verdict := verdicts(own_claims(summary))) else []
        rest += [in_seeds(summary)] + ([f"{counted(failed, 'point')} failed"] if failed else [])
    if len(rest) < 2:
        return _capital("; ".join([finding, *rest])) + "."
    return f"{_capital(finding)}. {_capital('; '.join(rest))}."


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def joined(clauses: Iterable[str]) -> str:
    """Return the clauses that are not empty in one, 'a, b and c'."""
    clauses = [clause for clause in clauses if clause]
    return " and ".join([", ".join(clauses[:-1]), clauses[-1]] if len(clauses) > 1 else clauses)
