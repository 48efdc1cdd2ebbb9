"""Claims on decoders that are fine-tuned with settings chosen on other users: their steps, or those of `dti_fair`."""

import functools

from analysis.figures.cited import Cited, Work, own, said, stronger
from analysis.figures.claim import Claim
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Every
from experiments.clicks.dti.results import NEAR, SLIDING, auc, better, closes_more, gap, near
from experiments.clicks.dti.results.chosen import chosen_number, controls_of_finetuned, controls_of_tuned
from experiments.clicks.dti.results.packing import KEEPS, MASKS, SOLVES, sharper
from experiments.clicks.dti.results.schemes import claim_of_solutions, claims_beside_sliding, where


def _finetuned(statement: str, source: Cited, bounds: Bounds | Every, *parts: str) -> Claim:
    """Return a claim on parts whose number of steps is chosen for each seed on other users, as early stopping does."""
    return claim(statement, source, bounds, CHOSEN, controls=controls_of_finetuned(*parts), changed=CHANGED)


CHANGED = "28 November 2026: each seed has a number of steps of its own; before, half of the seeds chose one for all"
CHOSEN = "with the number of steps chosen for each seed on other users, as early stopping does"
FROM = "Fine-tuned from a decoder of next clicks"
_auc = functools.partial(chosen_number, auc)
FINETUNED = (
    _finetuned(
        f"{FROM}, DTI- is below the sliding window.",
        said(Work.DTI, "section 5.2 and table 1", "consistently decreases"),
        _auc("naive") - _auc(SLIDING) < 0,
        "naive", SLIDING,
    ),
    _finetuned(
        f"{FROM}, DTI- loses more of log loss and F1 than of AUC.",
        said(Work.DTI, "section 5.2", "a sharper degradation in both Log Loss and F1 Score"),
        sharper(lambda column: chosen_number(column, "naive") / chosen_number(column, SLIDING) - 1),
        "naive", SLIDING,
    ),
    # With one weight of the reset and one rate, which the source leaves open: this lab's reading.
    *(
        each
        for part, words in (("dti", "DTI"), ("dti_mild", "DTI with a weak reset in the last layer alone"))
        for each in (
            _finetuned(
                f"{FROM}, {words} is as good as the sliding window.",
                stronger(*KEEPS),
                _auc(part) / _auc(SLIDING) - 1 > -NEAR,
                part, SLIDING,
            ),
            _finetuned(
                f"{FROM}, {words} is better than DTI-.", stronger(*SOLVES), _auc(part) - _auc("naive") > 0,
                part, "naive",
            ),
        )
    ),
    _finetuned(
        f"{FROM}, DTI- is worse on sliding windows than on prompts as in training.",
        said(Work.DTI, "section 5.2", "a stronger discrepancy between training and inference"),
        chosen_number(gap, "naive") > 0,
        "naive",
    ),
    _finetuned(
        f"{FROM}, the split window is as good as the sliding window.",
        MASKS,
        _auc("split") / _auc(SLIDING) - 1 > -NEAR,
        "split", SLIDING,
    ),
    _finetuned(
        "Within 1,000 steps a decoder of next clicks of another world is a better start than an untrained one.",
        own('derived here from DTI, "implementation details": a language model is fine-tuned'),
        _auc("naive") - _auc("untrained") > 0,
        "naive",
    ),
)  # fmt: skip
SETTINGS = where("Fine-tuned with settings chosen for each")
TUNED = (
    *claims_beside_sliding(SETTINGS, cite_remedies=said, controls=controls_of_tuned),
    claim_of_solutions(SETTINGS, said, controls_of_tuned),
    claim(
        SETTINGS("DTI with half as many steps is as good as the sliding window"),
        said(*KEEPS),
        near("fewer"),
        "500 steps, and the slope, rate and layers of the reset that are best with these",
        controls=controls_of_tuned("fewer", SLIDING),
    ),
    claim(
        SETTINGS("DTI's remedies make the gap of training and test smaller"),
        said(Work.DTI, "abstract", "to effectively tackle each"),
        closes_more("dti", "naive"),
        controls=controls_of_tuned("dti", "naive"),
    ),
    claim(
        SETTINGS("DTI is better with a partial reset, or one of the last layer, than with the whole reset"),
        own('derived here from DTI, sections 4.1 and 4.2: "partially interpolate", "slope to be tuned"'),
        better("dti", "whole"),
        "the whole reset has ymax = 1 in every layer, and slope and rate chosen in the same way",
        controls=controls_of_tuned("dti", "whole"),
    ),
)
