"""The headline numbers of `accelerator` as people read them."""

from analysis.figures.labels import Word

NAMES = {
    "layers": "a population of layers",
    "decoder": "a decoder",
    "stream_decoder": "a decoder of click streams",
    "construction": "a constructed Transformer",
    "gradient": "a decoder's gradient",
    "split_batch": "a batch over all devices",
    "repeated": "a repeated training",
    "resumed": "a resumed training",
}

NUMBERS = {
    "error.{check}.{precision}": Word("error of {check}, {precision}", "Relative error of {check} in {precision}."),
    "milliseconds_per_step.{program}.{precision}": Word(
        "time per step, {program}, {precision}", "Median time of a step of {program} in {precision}.", "ms"
    ),
    "share_of_flops.{program}.{precision}": Word(
        "share of operations, {program}, {precision}",
        "Operations per second of {program}, over the fastest product of matrices in {precision}.",
    ),
    "share_of_bytes.{program}.{precision}": Word(
        "share of bandwidth, {program}, {precision}",
        "Bytes per second of {program} in {precision}, over the highest that was measured.",
    ),
}
