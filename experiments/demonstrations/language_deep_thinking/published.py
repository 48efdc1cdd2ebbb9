"""The accuracies that the source printed, tables 1 and 2, in published.csv, in percent. No JAX here.

`in_context` is that of plain in-context learning, and `deep_thinking` that of the best of up to 15 iterations on the
test itself, at eta = .01 and beta = .9: by all signs one set of demonstrations, weights of 8 bits, an A100. Family,
layers and width are those of the models of these names, by which a folder is known.
"""

import pathlib

from experiments.demonstrations.printed import printed

FILE = pathlib.Path(__file__).with_name("published.csv")


def published(family: str, layers: int, width: int, data_set: str) -> dict[str, float]:
    """Return {in_context, deep_thinking: accuracy} of a model on a data set; nothing where the source has none."""
    shape = {"family": family, "layers": str(layers), "width": str(width), "data_set": data_set}
    for row in printed(FILE):
        if shape.items() <= row.items():
            return {name: float(row[name]) / 100 for name in ("in_context", "deep_thinking")}
    return {}
