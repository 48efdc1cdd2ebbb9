"""A language model's answers with tokens of whole texts, and with demonstrations and queries encoded apart.

    python -m tests.lab.language.seam MODEL SETS ROWS EXAMPLES DATASET=PATH ...

prints one row per data set with two classes: of SETS sets of EXAMPLES demonstrations per class, each behind which
ROWS test rows are asked. Differences are apart less whole, paired row by row; errors are over sets and rows.
docs/results/language_tokens.csv is such a table.
"""

import dataclasses
import math
import pathlib
import sys

import numpy as np

from experiments.demonstrations.two_way import over_rows, over_sets
from lab.config.choices import Dtype
from lab.language.scoring import encode
from tasks.texts.read import read
from tasks.texts.settings import Texts, Tokens
from trainers.language import prompts
from trainers.language.opened import Opened, open_model

COLUMNS = "dataset,sets,rows,demonstrations,prompts,prompts.differ,answers.differ,accuracy.whole,accuracy.apart," \
          "accuracy.difference,accuracy.difference.stderr,loss.whole,loss.apart,loss.difference," \
          "loss.difference.stderr"  # fmt: skip


def asked(here: Opened, seed: int) -> tuple[list[tuple[int, ...]], prompts.Answers]:
    """Return the tokens in front of each row's answer, and the answers behind one set of demonstrations."""
    test = here.texts.test
    each = prompts.asked(here, prompts.demonstrations(here, seed, 0).items, test)
    answers = prompts.answers(here, test, each.queries[0], encode(here.model, each.tokens), 16)
    return [(*each.tokens, *query.prompt) for query in each.queries[0]], answers


def row(here: Opened, texts: Texts, sets: int) -> str:
    """Return the row of a data set."""
    tokens, right, loss, chosen = {}, {}, {}, {}
    for way in Tokens:
        labelled = read(dataclasses.replace(texts, tokens=way))
        of_sets = [asked(dataclasses.replace(here, texts=labelled), seed) for seed in range(sets)]
        tokens[way] = [prompt for each, _ in of_sets for prompt in each]
        for values, name in ((right, "right"), (loss, "loss"), (chosen, "chosen")):
            values[way] = np.stack([getattr(answers, name) for _, answers in of_sets])
    whole, apart = Tokens.whole, Tokens.apart
    differ = sum(a != b for a, b in zip(tokens[whole], tokens[apart], strict=True))
    counts = [sets, right[whole].shape[1], 2 * texts.examples, len(tokens[whole]), differ]
    cells = [texts.dataset, *counts, int(np.sum(chosen[whole] != chosen[apart]))]
    for values in (right, loss):
        difference_SxX = values[apart].astype(float) - values[whole]
        error = math.hypot(over_sets(difference_SxX), over_rows(difference_SxX))
        cells += [f"{each:.4f}" for each in (values[whole].mean(), values[apart].mean(), difference_SxX.mean(), error)]
    return ",".join(map(str, cells))


def main(model: str, sets: str, rows: str, examples: str, *data: str) -> None:
    print(COLUMNS)
    folder = pathlib.Path(model)
    for dataset, path in (each.split("=", 1) for each in data):
        texts = Texts(dataset=dataset, path=path, examples=int(examples), test=int(rows))
        print(row(Opened(*open_model(folder, Dtype.float32), read(texts), folder), texts, int(sets)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
