"""Figures of `functions`, one file per figure, found by listing. What two of them share is in the folder above, and not
here."""
