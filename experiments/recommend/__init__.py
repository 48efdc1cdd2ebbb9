"""Recommenders predict which item a user takes next: `python run.py experiment=recommend`."""
