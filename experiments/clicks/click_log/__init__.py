"""A decoder of click streams, trained on a log of real interactions: `python run.py experiment=click_log`. Reading logs
belongs to `tasks.logs` and not here, and random worlds to the kind `dti`."""
