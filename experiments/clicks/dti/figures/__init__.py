"""Figures of `dti`, one file per figure, found by listing. What two of them share is in `drawing.py`, and not here."""
