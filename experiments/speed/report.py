"""The results of a measurement of speed: rates, shares of the ceilings, speed-up over the plain forward pass."""

from analysis.report.blocks import Block, Cell, Table

HEADS = ("steps\n/s", "episodes\n/s", "models\nx steps/s", "GFLOP\n/s", "GB\n/s")
SHARES = ("flops", "bytes", "random")
WIDTH = 118


def of_run(summary: dict) -> list[Block]:
    """Return a table with the run's rates, and its ceilings."""
    return _blocks({summary["experiment"]: summary})


def of_points(summary: dict) -> list[Block]:
    """Return a table with the rates of a sweep's points, and the ceilings of the first point."""
    return _blocks(summary["points"])


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
