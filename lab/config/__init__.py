"""Settings: the keys, their checks, and the way from the overrides of a command line to runs with hashes. No JAX is
imported here, and no kind is known by name: `run.py` fills the table of kinds.
"""
