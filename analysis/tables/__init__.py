"""Rows and columns of tables, and the tables of a sweep, gathered from its points. Nothing here draws or judges. The
meaning of shared columns is in `columns`.
"""
