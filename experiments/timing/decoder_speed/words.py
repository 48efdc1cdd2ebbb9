"""The headline numbers of `decoder_speed` as people read them."""

from analysis.figures.labels import Word

NAMES = {"lab": "the lab's program", "by_hand": "a program by hand in JAX", "torch": "PyTorch"}

NUMBERS = {
    "milliseconds_per_step.{program}": Word(
        "time per step, {program}", "Median time of a training step of {program}.", "ms"
    ),
    "share_of_flops.{program}": Word(
        "share of the highest rate, {program}",
        "Operations per second of {program}, as a share of the highest rate that was measured here.",
    ),
}
