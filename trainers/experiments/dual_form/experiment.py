"""Attention and gradient descent are two forms of one computation: every statement, its error and its tolerance."""

from collections.abc import Sequence

import jax

from lab.config.dual_form import DualForm
from trainers.experiments.dual_form import layers, linear, passes, regularizers, softmax, transformer
from trainers.experiments.dual_form.rows import rows_of

TOPICS = (linear, softmax, passes, regularizers, layers, transformer)
NOTES = (
    "LRGD: the factor 1/sqrt(D) of D/2 random frequencies gives kappa/2, which cancels in the normalizer c.",
    "LRGD, eq. 6 for a single score is identically 1: the sum must run over all scores.",
    "LRGD, eqs. 26 and 27: V^(i), i < n should number the g groups; eq. 26 lacks c and eq. 27 lacks W.",
    "LRGD's R_m^T R_n = R_{m-n} is the other sign convention: rotations by m, n satisfy R_m^T R_n = R_{n-m}.",
)


def identities(settings: DualForm) -> list[dict]:
    """One row per identity and variant. To be called with 64-bit numbers enabled.

    Returns:
        Rows of `topic`, `statement`, `variant` (a loss, a form of the dual model, an activation), `source`, `identity`
        (a short name to select rows by), `relation` (`equal`, or `different` where the statement asserts a difference,
        or `approximate`), `error` (the largest distance over the cases; of an approximation without a bound the mean
        share of the effect that is lost), `tolerance` (the bound that it must not exceed, or must exceed for
        `different`) and `holds` (1 or 0).
    """
    return [row for topic in TOPICS for row in rows_of(topic.TOPIC, topic.STATEMENTS, topic.measure(settings))]


def run(records: Sequence) -> None:
    """Write the table `identities`, the numbers of a summary, and as notes what the source has wrong."""
    for record in records:
        with jax.enable_x64(True):
            rows = identities(record.settings)
        record.table("identities", rows)
        record.numbers(headline(rows))
        for line in NOTES:
            record.note(line)


def headline(rows: list[dict]) -> dict[str, float]:
    """The numbers that a summary shows."""
    errors = {(row["identity"], row["variant"]): row["error"] for row in rows}
    online = [error for (identity, _), error in errors.items() if identity == "batch_not_online"]
    return {
        "largest_error": max(row["error"] for row in rows if row["relation"] == "equal"),
        "batch_against_online": min(online),
        "effect_lost_relu": errors["frozen_activation", "ReLU"],
        "effect_lost_gelu": errors["frozen_activation", "GELU"],
        "signs_flipped": errors["flipped_signs", "any activation"],
        "statements": len(rows),
        "statements_that_hold": sum(row["holds"] for row in rows),
    }
