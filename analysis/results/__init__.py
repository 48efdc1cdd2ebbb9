"""Numbers of tables as expressions, by which a kind declares its results once: columns, headline numbers, claims.
Nothing here draws, and no sentence of a report is made here.
"""
