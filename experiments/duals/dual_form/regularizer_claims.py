"""Claims about regularizers of the dual model: tokens and values that a prompt adds."""

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from experiments.duals.dual_form.judges import as_stated

REGULARIZERS = (
    Claim(
        statement="Perturbation tokens among the demonstrations add a term of their own to the loss.",
        source=said(Work.LRGD, "section 3.5, eq. 16", "adding an extra loss term to the objective function"),
        criterion="with the normalizer of all tokens the step is equal to attention to 1e-12, exact features as above",
        judge=as_stated("perturbation"),
    ),
    Claim(
        statement="They change the normalizer of all terms, too: they average attention to them into the answer.",
        source=own("derived here from LRGD, eq. 16"),
        criterion="with the normalizer of the prompt without them apart from attention by more than 1e-9; the average, "
        "weighted by shares of the kernel, equal to 1e-12",
        judge=as_stated("perturbation_old_normalizer", "perturbation_average"),
    ),
    Claim(
        statement="Instruction values times 1 - alpha are an L2 term alpha / (2 beta) ||W||^2 in the loss.",
        source=said(Work.LRGD, "section 3.5, eqs. 17-18", "a regularization parameter into the loss function"),
        criterion="for one step from W_0 equal to 1e-12, exact features as above",
        judge=as_stated("shrunk_values"),
    ),
    Claim(
        statement="They shrink what the instruction adds, and not the demonstrations' step.",
        source=own("derived here from LRGD, eqs. 17-18"),
        criterion="the answer changes by -alpha times that of W_0, equal to 1e-12, exact features as above",
        judge=as_stated("shrunk_start"),
    ),
    Claim(
        statement="Where every demonstration takes its own step, they are the L2 term if and only if all of the "
        "shrinkage is in the first step.",
        source=own("derived here from LRGD, eqs. 17-18"),
        criterion="equal to 1e-12 with alpha in the first step alone; with other terms in every step equal to 1e-12 to "
        "a formula that shrinks each step by the terms after it; apart by more than 1e-9 in every case with alpha in "
        "any one later step, in every step, and spread geometrically; exact features as above",
        judge=as_stated(
            "shrunk_first_step", "shrunk_by_steps", "shrunk_later_step", "shrunk_token_steps", "shrunk_spread"
        ),
    ),
)
