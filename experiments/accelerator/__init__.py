"""A device: errors of its results, and how fast it trains: `python run.py experiment=accelerator`."""
