"""Figures, verdicts and report of any directory, from its files alone. Nothing here knows a kind by name: what a kind's
answer says is in its own `report.py`."""
