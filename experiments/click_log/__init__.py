"""A decoder of click streams, trained on a log of real interactions: `python run.py experiment=click_log`."""
