"""Tables of click models that are made up, and the verdicts that they give."""

import dataclasses
import itertools

from analysis.tables.in_memory import Tables
from analysis.tables.select import Row


def rows_of(auc_of, **axes):
    """Rows of clicks.csv: three seeds of every combination of axes; auc_of(...) is AUC, and a gap. 50 targets, if no
    axis has them."""
    rows = []
    for values in itertools.product(*axes.values()):
        named = dict(zip(axes, values, strict=True))
        auc, gap = auc_of(**named)
        for seed, answers in itertools.product((0.0, 1.0, 2.0), ("sliding", "streaming")):
            noise = 1e-4 * seed
            row = (
                {"targets": 50.0}
                | named
                | {"seed": seed, "answers": answers, "auc": auc + noise, "log_loss": 1 - auc + noise, "f1": auc}
            )
            rows.append(Row(row | {"gap.auc": gap * (1 + noise)}))
    return rows


def verdicts(claims, rows, words=""):
    claims = [claim for claim in claims if words in claim.statement]
    return [claim.evaluate(Tables(clicks=rows), {}, ())["holds"] for claim in uncontrolled(claims)]


def uncontrolled(claims):
    return [dataclasses.replace(claim, controls=()) for claim in claims]
