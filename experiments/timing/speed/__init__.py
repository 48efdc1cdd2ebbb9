"""The speed of training, compared with the limits of the machine: `python run.py experiment=speed`. The plain forward
pass here is for comparison alone and is not a learner."""
