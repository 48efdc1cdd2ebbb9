"""The headline numbers of `dti_cost` as people read them."""

from analysis.figures.labels import Word

SHARE = "{} over sizes of the measured gain divided by the formula's, in a training step."

NUMBERS = {
    "smallest_share": Word("smallest share of the formula", SHARE.format("Smallest")),
    "median_share": Word("median share of the formula", SHARE.format("Median")),
}
