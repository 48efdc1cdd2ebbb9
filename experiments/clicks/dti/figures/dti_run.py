"""One run of `dti`: the figure of `click_log`, with Bayes-optimal answers in place of baselines."""

from experiments.clicks.click_log import figure

CAPTION = (
    "Left: cross-entropy on test users against the training step, and on the batches since the last one; mean over "
    "seeds. Sliding: one target per prompt; streaming: as many as in training. Right: AUC and log loss (nats) at the "
    "end, one point per seed, with its standard error over users. Bayes: the best answers from the item alone, from a "
    "window of n interactions, and from all of them."
)
draw = figure.draw
