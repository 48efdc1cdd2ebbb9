"""Directories of runs: their files, their provenance, the removal of old files, the machine. Nothing here computes a
result, and no table's columns are known.
"""
