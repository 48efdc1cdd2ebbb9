"""Recommenders predict which item a user takes next: `python run.py experiment=recommend`. Recommenders that two kinds
need are in `trainers`, and not here."""
