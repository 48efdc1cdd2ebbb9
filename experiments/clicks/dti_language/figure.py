"""One run of `dti_language`: the figure of `click_log`, of a language model."""

from experiments.clicks.click_log.figure import draw as draw

CAPTION = (
    "A language model, fine-tuned by low-rank factors. Left: cross-entropy on validation targets against the training "
    "step, and on the batches since the last one; mean over seeds. Sliding: one target per prompt; streaming: as many "
    "as in training. Right: AUC and log loss (nats) on test targets, one point per seed, with its standard error over "
    "the users of the test. Rate: the share of clicks in training; item: of each item. Logistic: a regression on an "
    "interaction's tokens and the share of clicks in its context; boosted: trees on the same."
)
