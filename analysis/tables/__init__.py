"""Rows and columns of tables, and the tables of a sweep, gathered from its points. Nothing here draws or judges, and
what a column means is said in one place, `columns`."""
