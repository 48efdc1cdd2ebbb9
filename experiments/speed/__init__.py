"""The speed of training, compared with the limits of the machine: `python run.py experiment=speed`."""
