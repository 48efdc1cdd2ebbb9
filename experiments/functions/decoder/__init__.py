"""A decoder that learns a class of tasks in context: `python run.py experiment=shifted_classes`. Kinds that start from
its decoders ask for its run and do not import it."""
