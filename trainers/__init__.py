"""Training and measuring: runs, sweeps, sessions, studies, streams of random numbers, checkpoints. No kind of
experiment is known by name, and nothing here draws figures.
"""
