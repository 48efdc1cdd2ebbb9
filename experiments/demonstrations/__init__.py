"""Search for demonstrations, and its controls: `python run.py experiment=demonstrations`."""
