"""Settings: the keys, their checks, and how words of a command line become points with hashes. No JAX is imported here,
and no kind is known by name: the table of kinds is filled from above."""
