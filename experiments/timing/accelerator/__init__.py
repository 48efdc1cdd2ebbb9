"""A device: errors of its results, and how fast it trains (`python run.py experiment=accelerator`).

Programs that other kinds time as well do not live here: they are in `trainers/timing/` and `experiments/timing/`.
"""
