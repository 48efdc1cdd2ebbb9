"""Ways of training on a real log beside sliding windows, on the same test users, and claims on them [DTI, table 1].

A part of the sweep is a way of training, with its number of targets k in its name. All of its runs are tested on the
same users: the error of a difference is that over seeds and, in quadrature, that over users, which is paired by groups
of them (`Groups`). It is not the error of other splits: there is one.
"""

import dataclasses
from collections.abc import Callable

from analysis.figures import controls
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, cluster_error, combine, estimate
from analysis.figures.evidence import Condition
from analysis.results.declared import claim
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, Row, distinct, rows_where, table
from experiments.clicks.tables import NEAR, SLIDING, STREAMING, Clicks, Groups
from lab.runs.directory import RunDirectory

PART, GROUPS, USERS = "part", "groups", "users"
ITEM = "item"
WAYS = {  # the beginning of a part's name: label
    "sliding": "sliding window",
    "naive": "DTI-",
    "dti": "DTI",
    "split": "split window",
    "local": "local window",
}
BASELINES = {"item": "item's mean", "logistic": "logistic regression", "boosted": "boosted trees"}
PLACES = "at every number of targets,"


def way_of(part: str) -> str:
    """Return the way of training of a part."""
    return part.split("_")[0]


def parts_of(directory: RunDirectory, way: str) -> dict[float, str]:
    """Return {k: part} of a way of training, fewest targets first. Raises NotMeasured where there is none."""
    rows = [row for row in table(directory, Table.CLICKS) if way_of(row.text(PART)) == way]
    if not rows:
        raise NotMeasured(f"{WAYS[way]}: not trained")
    return dict(sorted({row.number(Clicks.TARGETS): row.text(PART) for row in rows}.items()))


def measured(directory: RunDirectory, part: str, answers: str = SLIDING) -> Estimate:
    """Return the AUC of a part by seed, with its error over users by groups of them."""
    clicks, groups = (
        rows_where(table(directory, name), {PART: part, Clicks.ANSWERS: answers}) for name in (Table.CLICKS, GROUPS)
    )
    clusters = {("test", row.number(Groups.GROUP)): row.number(Clicks.AUC) for row in groups}
    return dataclasses.replace(estimate(clicks, Clicks.AUC), common=cluster_error(clusters), clusters=clusters)


def above_sliding(way: str) -> Quantity:
    """Return the AUC of a way of training minus the sliding window's, at each number of targets."""

    def difference(directory: RunDirectory, part: str) -> Estimate:
        return measured(directory, part) - measured(directory, SLIDING)

    return _at_each_count(way, f"{WAYS[way]} - sliding window", difference)


def beside_sliding(way: str) -> Quantity:
    """Return the AUC of a way of training / the sliding window's mean - 1, at each number of targets."""

    def share(directory: RunDirectory, part: str) -> Estimate:
        reference = measured(directory, SLIDING)
        return combine(lambda gain: gain / reference.mean, measured(directory, part) - reference)

    return _at_each_count(way, f"{WAYS[way]} / sliding window - 1", share)


def above_other(way: str, other: str) -> Quantity:
    """Return the AUC of a way of training minus another way's, at each number of targets that both have."""

    def numbers(directory: RunDirectory) -> Numbers:
        ours, others = parts_of(directory, way), parts_of(directory, other)
        return {
            f"targets {count:g}": measured(directory, part) - measured(directory, others[count])
            for count, part in ours.items()
            if count in others
        }

    return Quantity("AUC", f"{WAYS[way]} - {WAYS[other]}", numbers, PLACES)


def above_item(way: str) -> Quantity:
    """Return the AUC on prompts as in training minus the item's mean's, at each number of targets."""
    answers = SLIDING if way == SLIDING else STREAMING

    def difference(directory: RunDirectory, part: str) -> Estimate:
        return measured(directory, part, answers=answers) - measured(directory, part, answers=ITEM)

    return _at_each_count(way, f"{WAYS[way]} - item's mean", difference)


def _at_each_count(way: str, subject: str, number_of: Callable[[RunDirectory, str], Estimate]) -> Quantity:
    """Return an AUC of each part of a way of training. number_of: the directory and the part -> the number."""

    def numbers(directory: RunDirectory) -> Numbers:
        parts = parts_of(directory, way).items()
        return {f"targets {count:g}": number_of(directory, part) for count, part in parts}

    return Quantity("AUC", subject, numbers, PLACES)


def better(*ways: str) -> tuple[Control, ...]:
    """Return the control that decoders answer better than the item's mean."""
    return (Control("it answers better than the item's mean", Every(tuple(above_item(way) > 0 for way in ways))),)


def flat(*ways: str) -> tuple[Control, ...]:
    """Return the control of a refutation, that the losses of validation are flat: more epochs would not help."""

    def are_flat(directory: RunDirectory) -> list[Condition]:
        parts = {part: way for way in ways for part in parts_of(directory, way).values()}
        each = [
            controls.flat(f"loss.{SLIDING if way == SLIDING else STREAMING}", part=part) for part, way in parts.items()
        ]
        return [condition for control in each for condition in control.judge(directory)]

    return (Control("the loss on prompts as in training is flat at the end of training", are_flat),)


def users(directory: RunDirectory) -> Row:
    """Return the counts of users, which all runs have in common."""
    return table(directory, USERS)[0]


def ways(directory: RunDirectory) -> list[str]:
    """Return the ways of training of a sweep, in the order of their labels."""
    return sorted({way_of(str(part)) for part in distinct(table(directory, Table.CLICKS), PART)}, key=[*WAYS].index)


TABLE_1 = (
    claim(
        "On MovieLens, after two epochs, DTI- is below the sliding window.",
        said(Work.DTI, "section 5.2 and table 1", "consistently decreases"),
        above_sliding("naive") < 0,
        controls=better(SLIDING, "naive"),
        refutation_controls=flat(SLIDING, "naive"),
    ),
    claim(
        "On MovieLens, after two epochs, DTI is as good as the sliding window.",
        stronger(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
        beside_sliding("dti") > -NEAR,
        "on sliding windows; the largest loss in table 1 is .17%",
        controls=better(SLIDING, "dti"),
        refutation_controls=flat(SLIDING, "dti"),
    ),
    claim(
        "On MovieLens, after two epochs, DTI is better than DTI-.",
        said(Work.DTI, "section 5.2 and table 1", "the proposed solutions for the two bottlenecks are effective"),
        above_other("dti", "naive") > 0,
        controls=better("dti", "naive"),
        refutation_controls=flat("dti", "naive"),
    ),
    claim(
        "On MovieLens, after two epochs, the split window is as good as the sliding window.",
        own("derived here from the masks, which isolate targets"),
        beside_sliding("split") > -NEAR,
        controls=better(SLIDING, "split"),
        refutation_controls=flat(SLIDING, "split"),
    ),
    claim(
        "On MovieLens, after two epochs, a decoder on sliding windows is better than a logistic regression on the item "
        "and the share of clicks before it.",
        own("derived here: the regression does not see which items the earlier clicks were of"),
        Quantity(
            "AUC", "sliding window - logistic regression",
            lambda directory: {"": measured(directory, SLIDING) - measured(directory, SLIDING, answers="logistic")},
        )
        > 0,
        controls=better(SLIDING),
        refutation_controls=flat(SLIDING),
    ),
)  # fmt: skip
