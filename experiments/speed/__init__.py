"""How fast training is, against what the machine can do: `python run.py experiment=speed`."""
