"""Claims about the dual model while tokens are generated."""

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from experiments.duals.dual_form.judges import as_equal, as_stated

GENERATION = (
    Claim(
        statement="For the next token the dual model starts from W_0 + c v phi(k)^T of the generated one.",
        source=said(Work.LRGD, "section 3.3, sequential token generation", "shifting the starting point"),
        criterion="the step from there, with the normalizer c of the query before, is equal to attention to 1e-12",
        judge=as_equal("generated_as_written"),
    ),
    Claim(
        statement="It starts from there once all of it is rescaled to the next query's normalizer; in ratio form it "
        "starts from there as it is.",
        source=own("derived here from LRGD, section 3.3"),
        criterion="equal to attention to 1e-12, exact features relative to the largest kernel value",
        judge=as_stated("generated_rescaled", "generated_ratio"),
    ),
)
