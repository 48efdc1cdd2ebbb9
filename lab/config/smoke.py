"""Overrides of the smallest honest runs that several kinds share. A kind's settings add their own as `TINY`. Every path
of the code is taken, and no number means anything.
"""

WIDTHS = ["model.width=8", "model.num_heads=2", "model.mlp_width=8"]
TRAINING = ["train.steps=4", "train.eval_every=2", "train.batch_size=8"]

# A comparison with gradient descent, without its experiment.
COMPARISON = [*TRAINING, "eval.episodes=50", "baselines.line_search_episodes=100", "baselines.gd_plus_plus.steps=4"]
# Decoders of shifted_classes, from which other kinds start. Three layers: some claims are about layers above the
# second.
DECODER = [*TRAINING, "eval.episodes=50", *WIDTHS, "model.num_layers=3", "task.num_context=4"]
# Decoders of functions, without their experiment.
FUNCTIONS = [*TRAINING, "eval.episodes_in_training=20", "eval.episodes=30", *WIDTHS, "model.num_layers=1",
             "task.num_context=7", "task.input_dim=2"]  # fmt: skip

# The lab's own small language model, without its experiment.
LANGUAGE = ["train.steps=40", "train.batch_size=8", "model.width=16", "model.num_heads=2", "model.mlp_width=16",
            "model.num_layers=3", "eval.documents=40", "eval.block=20", "rows=60"]  # fmt: skip


def trained(words: list[str]) -> list[str]:
    """Return the overrides of a kind that starts from learners of two seeds, trained by the given overrides."""
    return ["seeds=2", listed("model.words", words)]


def listed(key: str, words: list[str]) -> str:
    """Return an override that sets a key to a list of overrides."""
    quoted = ",".join(f"'{word}'" for word in words)
    return f"{key}=[{quoted}]"
