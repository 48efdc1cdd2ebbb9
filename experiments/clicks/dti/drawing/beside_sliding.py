"""Claims on decoders trained on prompts of 50 targets, beside one that is trained on sliding windows [DTI]."""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, below
from analysis.tables.columns import Table
from analysis.tables.select import table
from experiments.clicks.dti.drawing.controls import of_parts
from experiments.clicks.dti.drawing.measures import SLIDING, metric
from experiments.clicks.dti.drawing.remedies import Citing, Controls, Wording, better, has_gap, leaks, near
from lab.runs.directory import RunDirectory


def claims_beside_sliding(
    statement: Wording, cite: Citing = said, cite_remedies: Citing = stronger, controls: Controls = of_parts
) -> tuple[Claim, ...]:
    """Return the claims on DTI-, DTI and the split window.

    Args:
        statement: makes a statement of what is claimed.
        cite: says whose reading the criteria on DTI- are, as `analysis.figures.cited.said` does.
        cite_remedies: the same of DTI. The source leaves open how strong its reset is and how steep its slopes are, so
            one setting of these is this lab's reading.
        controls: the controls of each claim.
    """
    return (
        Claim(
            statement("DTI- is below the sliding window"),
            cite(Work.DTI, "section 5.2 and table 1", "consistently decreases"),
            "prompts of 50 targets: AUC on sliding windows is below that of a model trained on sliding windows",
            _judge_falls,
            controls=controls("naive", SLIDING),
        ),
        Claim(
            statement("DTI is as good as the sliding window"),
            cite_remedies(Work.DTI, "abstract and table 1", "without compromising CTR prediction performance"),
            "prompts of 50 targets: AUC on sliding windows is at most .2% below that of a model trained on sliding "
            "windows",
            near("dti"),
            controls=controls("dti", SLIDING),
        ),
        Claim(
            statement("DTI- is worse on sliding windows than on prompts as in training"),
            cite(Work.DTI, "section 5.2", "a stronger discrepancy between training and inference"),
            "prompts of 50 targets: AUC on prompts as in training is above that of the same model on sliding windows",
            has_gap("naive"),
            controls=controls("naive"),
        ),
        claim_of_split(statement, controls),
    )


def claim_of_split(statement: Wording, controls: Controls = of_parts) -> Claim:
    """Return the claim on the split window. For the arguments see `claims_beside_sliding`."""
    return _as_good(statement("The split window is as good as the sliding window"), "split", controls)


def claim_of_own(statement: Wording, controls: Controls = of_parts) -> Claim:
    """Return the claim on the reset to own encodings. For the arguments see `claims_beside_sliding`."""
    return _as_good(statement("The reset to own encodings is as good as the sliding window"), "own", controls)


def _as_good(statement: str, part: str, controls: Controls) -> Claim:
    return Claim(
        statement,
        own("derived here from the masks, which isolate targets"),
        "prompts of 50 targets: AUC on sliding windows is at most .2% below that of a model trained on them",
        near(part),
        controls=controls(part, SLIDING),
    )


def claim_of_solutions(statement: Wording, cite_remedies: Citing = stronger, controls: Controls = of_parts) -> Claim:
    """Return the claim that DTI is better than DTI-. For the arguments see `claims_beside_sliding`."""
    return Claim(
        statement("DTI is better than DTI-"),
        cite_remedies(
            Work.DTI, "section 5.2 and table 1", "the proposed solutions for the two bottlenecks are effective"
        ),
        "prompts of 50 targets: AUC on sliding windows is above that of DTI-",
        better("dti", "naive"),
        controls=controls("dti", "naive"),
    )


def claim_of_leak(statement: Wording, controls: Controls = of_parts) -> Claim:
    """Return the claim that DTI- gets more out of its prompts than a window tells.

    Args:
        statement: makes a statement of what is claimed.
        controls: as those of `claims_beside_sliding`.
    """
    return Claim(
        statement("DTI- learns to use interactions from before its window"),
        own("derived here from DTI, section 4.1: what sees a window alone cannot be better than Bayes from it"),
        "prompts of 50 targets: AUC on prompts as in training is above that of the Bayes-optimal answer from a window",
        leaks("naive"),
        controls=controls("naive"),
    )


def _judge_falls(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    return [below("AUC of DTI- - of the sliding window", metric(rows, part="naive") - metric(rows, part=SLIDING))]
