"""Rows of the tables on pages, computed from the kept tables behind them: one file per page.

`python -m tests.page_rows` prints them. They are computed here anew, with csv and NumPy alone: no code that draws or
judges is used.
"""
