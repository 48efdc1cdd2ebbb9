"""Figures, verdicts and report of any directory, from its files alone. Nothing here knows a kind by name: the answers
of a kind are declared in its own folder.
"""
