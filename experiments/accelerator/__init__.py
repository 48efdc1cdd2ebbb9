"""A device: errors of its results, and how fast it trains: `python run.py experiment=accelerator`. It runs on a CPU
too, and nothing that another kind needs is here."""
