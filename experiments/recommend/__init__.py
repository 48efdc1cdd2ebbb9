"""Which item is next? `python run.py experiment=recommend`."""
