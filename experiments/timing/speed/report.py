"""The results of a measurement of speed: rates, shares of the ceilings, speed-up over the plain forward pass."""

from analysis.report.blocks import Block, Cell, Table
from analysis.report.sentences import counted, over_points, sentence
from analysis.report.values import number, setting

HEADS = ("steps\n/s", "episodes\n/s", "models\nx steps/s", "GFLOP\n/s", "GB\n/s")
SHARES = ("flops", "bytes", "random")
CEILINGS = {"flops": "operations", "bytes": "memory traffic", "random": "random numbers"}
WIDTH = 118


def of_run(summary: dict) -> list[Block]:
    """Return a table with the run's rates, and its ceilings."""
    return _blocks({summary["experiment"]: summary})


def of_points(summary: dict) -> list[Block]:
    """Return a table with the rates of a sweep's points, and the ceilings of the first point."""
    return _blocks(summary["points"])


def answer_of_run(summary: dict) -> str:
    """Return the rate of training, its share of the nearest ceiling, and the speed-up."""
    rate = number(summary, "steps_per_second")
    if rate is None:
        return ""
    first = f"training runs at {_digits(rate.mean)} steps per second{_share(summary)}"
    speed_up = number(summary, "speed_up")
    second = f"this is {speed_up.text(2)} times as fast as the plain forward pass" if speed_up else ""
    return sentence(first, second, _rounds(summary), summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return the range of rates over the points, and of their shares of the nearest ceiling."""
    points = summary["points"]
    rates = over_points(summary, "steps_per_second", "the number of training steps per second")
    shares = {name: max(each) for name, point in points.items() if (each := [*_shares(point).values()])}
    if not rates or not shares:
        return ""
    low, high = (bound(shares, key=lambda name: shares[name]) for bound in (min, max))
    second = f"{shares[low]:.0%} ({low}) to {shares[high]:.0%} ({high}) of the nearest ceiling is reached"
    return sentence(rates, second, _rounds(next(iter(points.values()))), summary=summary)


def _shares(summary: dict) -> dict[str, float]:
    """Return {ceiling: the share of it that is reached}."""
    shares = {name: number(summary, f"share_of_{name}") for name in SHARES}
    return {name: share.mean for name, share in shares.items() if share is not None}


def _share(summary: dict) -> str:
    shares = _shares(summary)
    if not shares:
        return ""
    binds = max(shares, key=lambda name: shares[name])
    return f", {shares[binds]:.0%} of what the machine's {CEILINGS[binds]} would allow"


def _rounds(summary: dict) -> str:
    return f"medians of {counted(int(setting(summary, 'rounds')), 'round')}"


def _blocks(runs: dict[str, dict]) -> list[Block]:
    caption = (
        "Training; % of each ceiling (the nearest one binds); speed-up over the plain forward pass, which projects "
        "every token in every layer"
    )
    heads = ("point", "batch", *HEADS, *(f"%\n{name}" for name in SHARES), "binds", "speed-\nup", "compile\ns")
    rows: list[tuple[Cell, ...]] = [(name, *_cells(run["numbers"])) for name, run in runs.items()]
    return [Table(caption, heads, rows, width=WIDTH), *[_ceilings(run) for run in runs.values()][:1]]


def _cells(numbers: dict) -> tuple[str, ...]:
    shares = {name: numbers[f"share_of_{name}"] for name in SHARES}
    rates = [numbers[name] for name in ("steps_per_second", "episodes_per_second", "models_steps_per_second")]
    achieved = [numbers[name] / 1e9 for name in ("flops_per_second", "bytes_per_second")]
    return (
        f"{numbers['batch']:.0f}",
        *(_digits(rate) for rate in (*rates, *achieved)),
        *(f"{100 * share:.0f}" for share in shares.values()),
        max(shares, key=lambda name: shares[name]),
        "-" if numbers["speed_up"] is None else f"{numbers['speed_up']:.1f}",
        f"{numbers['compile_seconds']:.1f}",
    )


def _ceilings(run: dict) -> str:
    ceilings = run["ceilings"]
    return (
        f"Ceilings of {run['device']}: {ceilings['flops_per_second'] / 1e9:.4g} GFLOP/s (float32 matrix product), "
        f"{ceilings['bytes_per_second'] / 1e9:.4g} GB/s (read and written)."
    )


def _digits(rate: float) -> str:
    return f"{rate:.0f}" if rate >= 100 else f"{rate:.3g}"
