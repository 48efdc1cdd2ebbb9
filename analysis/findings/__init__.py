"""The pages of docs/findings: what holds of each source and what does not, made of the kept tables of docs/results and
of a few hand-written sentences per source. Nothing is measured here, and no measured number is written by hand."""
