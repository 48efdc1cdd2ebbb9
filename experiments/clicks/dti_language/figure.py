"""One run of `dti_language`: the figure of `click_log`, of a language model."""

from experiments.clicks.click_log import figure

CAPTION = f"A language model, fine-tuned by low-rank factors. {figure.CAPTION}"
draw = figure.draw
