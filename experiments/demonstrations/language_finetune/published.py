"""The numbers that the source printed of its six data sets, in published.csv, in percent. No JAX here.

They are from its tables of validation accuracies and of Rec2FTP. Its models are GPT of 1.3 and 2.7 billion parameters.
The text that the lab cites does not mention SimAOU, SimAM and Kendall's tau.
"""

import pathlib

from experiments.demonstrations.language_finetune import results
from experiments.demonstrations.printed import printed

FILE = pathlib.Path(__file__).with_name("published.csv")


def published(data_set: str, number: str) -> dict[str, float | None]:
    """Return {column of a model: a number of it on a data set}; None where the source has no such data set."""
    by_model = {row["model"]: float(row[number]) / 100 for row in printed(FILE) if row["data_set"] == data_set}
    return {column.name: by_model.get(column.label) for column in (results.smaller, results.larger)}
