"""Claims about the inputs that answers depend on in prompts of many targets; these are identities, without errors."""

from collections.abc import Mapping

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim
from analysis.figures.estimates import exact
from analysis.figures.evidence import Condition, above, below, within
from analysis.tables.select import NotMeasured, Row, numbers, rows_where, table
from experiments.clicks.dti_reach.columns import RANDOM, Leak, Reach, Table, Theorem
from lab.runs.directory import RunDirectory

TOLERANCE = 1e-12  # logits that are equal differ by less
DIFFERENCE = 1e-9  # logits that are different differ by more
RELATIVE = ("none", "rope", "alibi")
ISOLATING = ("local", "split")


def _differences(directory: RunDirectory, wanted: Mapping[Theorem, object]) -> list[Row]:
    """Return rows with the distance of a prompt's answers from those of sliding windows; the reset does not isolate.

    Raises:
        NotMeasured: there are no such rows.
    """
    rows = rows_where(table(directory, Table.THEOREMS), {Theorem.IDENTITY: "all_targets", **wanted})
    if not (rows := [row for row in rows if not row[Theorem.ISOLATES]]):
        raise NotMeasured("no such scheme")
    return rows


def _largest(rows: list[Row]) -> float:
    return max(numbers(rows, Theorem.MEASURED))


def rope_is_biased(directory: RunDirectory) -> list[Condition]:
    rows = _differences(directory, {Theorem.SCHEME: "no_id", Theorem.LAYERS: 1, Theorem.POSITIONS: "rope"})
    return [above("one layer, rope: largest difference", exact(_largest(rows)), DIFFERENCE)]


def worded_cures(directory: RunDirectory) -> list[Condition]:
    rows = _differences(directory, {Theorem.SCHEME: "literal", Theorem.LAYERS: 1, Theorem.POSITIONS: "rope"})
    return [below("one layer, rope, literal: largest difference", exact(_largest(rows)), TOLERANCE)]


def unrotated_cures(directory: RunDirectory) -> list[Condition]:
    rows = _differences(directory, {Theorem.SCHEME: "alibi", Theorem.LAYERS: 1})
    rows = [row for row in rows if row[Theorem.POSITIONS] in RELATIVE]
    return [
        below(
            f"one layer, {row[Theorem.POSITIONS]}, alibi: largest difference",
            exact(row.number(Theorem.MEASURED)),
            TOLERANCE,
        )
        for row in rows
    ]


def _leaks(directory: RunDirectory, scheme: str) -> dict[tuple, Row]:
    """Return {(positions, layers): row} of random decoders with several layers, whose reset does not isolate.

    Raises:
        NotMeasured: there is no such decoder.
    """
    rows = rows_where(table(directory, Table.LEAKS), {Leak.DECODER: RANDOM, Leak.SCHEME: scheme})
    leaks = {
        (row[Leak.POSITIONS], row[Leak.LAYERS]): row
        for row in rows
        if row.number(Leak.LAYERS) > 1 and not row[Leak.ISOLATES]
    }
    if not leaks:
        raise NotMeasured("no decoder of several layers")
    return leaks


def windows_leak(directory: RunDirectory) -> list[Condition]:
    return [
        above(
            f"naive, positions {kind}, {layers:g} layers: share of the gradient beyond n", exact(row.number(Leak.LEAK))
        )
        for (kind, layers), row in _leaks(directory, "naive").items()
    ]


def windows_add_up(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.LEAKS), {Leak.DECODER: RANDOM, Leak.SCHEME: "naive"})
    by_distance = rows_where(table(directory, Table.REACH), {Reach.DECODER: RANDOM})
    window, farthest = by_distance[0].number(Reach.WINDOW), max(numbers(by_distance, Reach.DISTANCE))
    return [
        within(
            f"naive, positions {row[Leak.POSITIONS]}, {layers:g} layers: reach - L n",
            exact(row.number(Leak.REACH) - min(layers * window, farthest)),
            0.5,
        )
        for row in rows
        for layers in [row.number(Leak.LAYERS)]
    ]


def reset_does_not_stop(directory: RunDirectory) -> list[Condition]:
    return [
        above(f"dti, positions {kind}, {layers:g} layers: share of the gradient beyond n", exact(row.number(Leak.LEAK)))
        for (kind, layers), row in _leaks(directory, "dti").items()
    ]


def reset_attenuates(directory: RunDirectory) -> list[Condition]:
    without_reset, resets = _leaks(directory, "alibi"), _leaks(directory, "dti")
    return [
        below(
            f"positions {place[0]}, {place[1]:g} layers: leak of dti / of alibi",
            exact(resets[place].number(Leak.LEAK) / without_reset[place].number(Leak.LEAK)),
            1.0,
        )
        for place in resets
        if place in without_reset
    ]


def isolation(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.THEOREMS), {Theorem.IDENTITY: "all_targets"})
    chosen = [
        row
        for row in rows
        if row[Theorem.POSITIONS] in RELATIVE
        and (row[Theorem.SCHEME] in ISOLATING or (row[Theorem.SCHEME] == "own" and row[Theorem.ISOLATES]))
    ]
    schemes = sorted({row[Theorem.SCHEME] for row in chosen})
    return [
        below(
            f"{scheme}: largest difference",
            exact(_largest([row for row in chosen if row[Theorem.SCHEME] == scheme])),
            TOLERANCE,
        )
        for scheme in schemes
    ]


def theorems_hold(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.THEOREMS)
    return [below("statements that do not hold", exact(sum(not row[Theorem.HOLDS] for row in rows)), 0.5)]


CLAIMS = (
    Claim(
        "A decoder with rotary positions is biased by where a target is in a prompt, [SUM]s not counted.",
        stronger(Work.DTI, "section 4.2, after eq. 7", "Regardless of the type of positional encoding"),
        "with one layer, rotary positions and [SUM]s that are not counted as positions, some target's logit differs "
        "from that of its sliding window by more than 1e-9 in float64",
        rope_is_biased,
    ),
    Claim(
        "A [SUM] without a position that sees by ALiBi is free of that bias.",
        stronger(
            Work.DTI, "section 4.2, after the bias of ALiBi", "equally regardless of their positions in the prompt"
        ),
        "with one layer and rotary positions, scheme literal, in which the keys that a [SUM] sees keep their rotation: "
        "every target's logit is that of its sliding window to 1e-12",
        worded_cures,
    ),
    Claim(
        "It is free of the bias if the keys that it sees are not rotated either.",
        own("derived here from DTI, section 4.2"),
        "with one layer and positions none, rope and alibi, scheme alibi: every target's logit is that of its sliding "
        "window to 1e-12",
        unrotated_cures,
    ),
    Claim(
        "With several layers, windows leak what is older than n.",
        said(Work.DTI, "section 4.1, after eq. 5", "peek beyond the intended context window"),
        "the gradient of the last target's logit beyond n is not zero, with every kind of positions",
        windows_leak,
    ),
    Claim(
        "The windows of L layers add up: an answer depends on what is L n interactions back.",
        said(Work.DTI, "section 4.1, eqs. 5 and 6", "as far back as"),
        "scheme naive, every kind of positions and number of layers: the gradient reaches L n interactions back, or to "
        "the beginning of the prompt, and no further",
        windows_add_up,
    ),
    Claim(
        "Hidden-state reset lessens the leak, with random weights.",
        said(Work.DTI, "section 1, paragraph on the two root causes", "to mitigate the leakage"),
        "with every kind of positions, the share of the gradient's norm beyond n is smaller with dti than with alibi, "
        "which is the same without reset",
        reset_attenuates,
    ),
    Claim(
        "Hidden-state reset with weights below 1 does not stop the leak.",
        own("derived here from DTI, section 4.1, the interpolation"),
        "scheme dti with a(d) between 0 and 1: there is a gradient beyond n, with every kind of positions",
        reset_does_not_stop,
    ),
    Claim(
        "Local and split windows, and a reset to what an interaction is by itself with a = 1, isolate targets exactly.",
        own("derived here from the masks"),
        "with positions none, rope and alibi and any number of layers, every target's logit is that of its sliding "
        "window to 1e-12",
        isolation,
    ),
    Claim(
        "All theorems hold.",
        own("derived here from the masks, layer by layer"),
        "every row of the table: first target and banded attention equal to 1e-12, all targets equal or different and "
        "the reach as derived",
        theorems_hold,
    ),
)
