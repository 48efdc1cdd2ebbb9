"""Medians over the rounds, and a table of them in Markdown for a page on speed. No JAX here."""

import statistics

from experiments.timing.accelerator.columns import Steps

COLUMNS = (Steps.MILLISECONDS, Steps.SHARE_OF_FLOPS, Steps.SHARE_OF_BYTES)
HEAD = (
    "| device | program | precision | ms a step | of the fastest product | of bandwidth |",
    "|---|---|---|---|---|---|",
)


def medians(rows: list[dict]) -> dict[str, float | None]:
    """Return {NUMBER.PROGRAM.PRECISION: the median over the rounds}, of times and shares."""
    return {
        f"{column}.{key}": statistics.median(row[column] for row in rows if _key(row) == key)
        for key in dict.fromkeys(map(_key, rows))
        for column in COLUMNS
    }


def page_rows(rows: list[dict]) -> list[str]:
    """Return the lines of a table in Markdown, one per program and precision."""
    numbers = medians(rows)
    first_rows = {_key(row): row for row in reversed(rows)}
    lines = []
    for key, row in reversed(first_rows.items()):
        cells = [row[Steps.DEVICE], _program(row), row[Steps.PRECISION]]
        cells += [f"{numbers[f'{column}.{key}']:.{digits}g}" for column, digits in zip(COLUMNS, (3, 2, 2), strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    return [*HEAD, *lines]


def _key(row: dict) -> str:
    return f"{row[Steps.PROGRAM]}.{row[Steps.PRECISION]}"


def _program(row: dict) -> str:
    """Return a program with its sizes in words."""
    many = f"{row[Steps.MODELS]} models, " if row[Steps.MODELS] > 1 else ""
    size = f"{row[Steps.PROMPTS]} prompts of {row[Steps.TOKENS]} tokens, width {row[Steps.WIDTH]}"
    return f"{row[Steps.PROGRAM].replace('_', ' ')}: {many}{size}"
