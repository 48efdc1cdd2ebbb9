"""Picking rows and columns of a sweep's tables, whose first columns are the places of its points."""

Row = dict[str, float | str]


class NotMeasured(Exception):
    """The tables lack a row or a column."""


def at(rows: list[Row], **where) -> list[Row]:
    """The rows that have these values; a key may be the last word of a column's name.

    Raises:
        NotMeasured: there is no such row or column.
    """
    found = [row for row in rows if all(row[column(rows, key)] == value for key, value in where.items())]
    if not found:
        raise NotMeasured(where)
    return found


def values(rows: list[Row], key: str) -> list:
    """The distinct values of a column, in order."""
    return sorted({row[column(rows, key)] for row in rows})


def groups(rows: list[Row], key: str) -> dict[float | str, list[Row]]:
    """{value of a column: its rows}, in order; all under "" where there is no such column: it was held fixed."""
    try:
        return {value: at(rows, **{key: value}) for value in values(rows, key)}
    except NotMeasured:
        return {"": rows}


def by(rows: list[Row], key: str) -> list[Row]:
    """The rows in the order of a column."""
    return sorted(rows, key=lambda row: row[column(rows, key)])


def column(rows: list[Row], key: str) -> str:
    """The full name of a column by its last word: `num_documents` is `task.num_documents`."""
    for name in rows[0]:
        if key in (name, name.split(".")[-1]):
            return name
    raise NotMeasured(key)


def name(row: Row, *keys: str) -> str:
    """'rag_dot, 5': how a measured number is called."""
    shown = (row[column([row], key)] for key in keys)
    return ", ".join(f"{value:g}" if isinstance(value, float) else value for value in shown)
