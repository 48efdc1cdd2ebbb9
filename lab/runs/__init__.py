"""Directories of runs: their files, what made them, what may be removed, the machine that they run on. Nothing here
computes a result, and no table's columns are known."""
