"""The headline numbers of `speed` as people read them."""

from analysis.figures.labels import Word

NUMBERS = {
    "layers": Word("layers", "Layers of the Transformer."),
    "batch": Word("batch", "Episodes per training step."),
    "context": Word("context", "Examples in a context."),
    "width": Word("width", "Width of a token."),
    "population": Word("population", "Models that train together."),
    "steps_per_second": Word("steps", "Training steps per second, a median over rounds.", "1/s"),
    "episodes_per_second": Word("episodes", "Training episodes of all models per second.", "1/s"),
    "models_steps_per_second": Word("models times steps", "Training steps of all models per second.", "1/s"),
    "flops_per_second": Word("operations", "Floating-point operations per second, by XLA's count.", "1/s"),
    "bytes_per_second": Word("memory traffic", "Bytes read and written per second, by XLA's count.", "bytes/s"),
    "share_of_flops": Word("share of operations", "Operations per second over the highest rate of this machine."),
    "share_of_bytes": Word("share of memory traffic", "Bytes per second over the highest rate of this machine."),
    "share_of_random": Word(
        "share of random numbers", "Share of the time that drawing the random numbers alone takes."
    ),
    "speed_up": Word("speed-up", "How many times faster than a plain forward pass that forms all scores."),
    "compile_seconds": Word("compilation", "Time to compile the training step.", "s"),
}
