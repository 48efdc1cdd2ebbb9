"""The pages of docs/findings: the claims of each source that hold and that do not, from the kept tables of docs/results
and a few hand-written sentences per source. Nothing is measured here, and no measured number is written by hand.
"""
