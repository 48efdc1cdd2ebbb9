"""Prints the rows of each table."""

from tests.page_rows.tables import TABLES

for name, (page, lines) in TABLES.items():
    print(f"\n{page}: {name}", *lines(), sep="\n")
