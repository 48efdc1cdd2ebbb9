"""What a benchmark says in the terminal: a line a point, the ceilings, the paths. Nothing is computed here."""

import math

from rich.table import Column, Table

from lab.runs.console import COMPACT, CONSOLE, ending, say
from lab.runs.directory import RunDirectory

HEADS = ("steps\n/s", "episodes\n/s", "models\nsteps/s", "GFLOP\n/s", "GB\n/s")
WIDTH = 118  # characters, also where there is no terminal
SHARES = ("flops", "bytes", "random")


def results(directory: RunDirectory, summary: dict) -> None:
    title = "training; % of each ceiling (the nearest binds); speed-up over the plain forward pass"
    table = Table(Column("point", no_wrap=True), "batch", title=title, width=WIDTH, **COMPACT)
    for head in (*HEADS, *(f"%\n{name}" for name in SHARES), "binds", "speed-\nup", "compile\ns"):
        table.add_column(head, justify="left" if head == "binds" else "right")
    for row in directory.read_table("benchmark"):
        rates = (row["steps_per_second"], row["episodes_per_second"], row["models_steps_per_second"])
        achieved = (row["flops_per_second"] / 1e9, row["bytes_per_second"] / 1e9)
        table.add_row(
            f"{row['axis']}={row['value']:.0f}",
            f"{row['batch']:.0f}",
            *(_digits(number) for number in (*rates, *achieved)),
            *(f"{100 * row[f'share_of_{name}']:.0f}" for name in SHARES),
            row["binds"],
            "-" if math.isnan(row["speed_up"]) else f"{row['speed_up']:.1f}",
            f"{row['compile_seconds']:.1f}",
        )
    CONSOLE.print(table)
    ceilings = summary["ceilings"]
    say(
        f"ceilings of {summary['device']}: {ceilings['flops_per_second'] / 1e9:.4g} GFLOP/s (float32 matrix product), "
        f"{ceilings['bytes_per_second'] / 1e9:.4g} GB/s (read and written)"
    )
    if (slope := summary["context_slope"]) is not None:
        say(f"seconds per episode grow as the context's length to the power {slope:.2f} (beyond 100 examples)")
    for note in summary["notes"]:
        say(f"note: {note}")
    ending(directory, summary, "benchmark.csv")


def _digits(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"
