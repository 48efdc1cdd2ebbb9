"""Figures of comparisons, one file per figure, found by listing. What two of them share is in `drawing` or `claims`,
and not here."""
