"""Claims about what is around attention: regularizers of the dual model, and whole Transformers."""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim
from experiments.dual_form.judges import as_stated, lost

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
        "a formula that shrinks each step by the terms after it; apart by more than 1e-9 with alpha in any one later "
        "step, in every step, and spread geometrically; exact features as above",
        judge=as_stated(
            "shrunk_first_step", "shrunk_by_steps", "shrunk_later_step", "shrunk_token_steps", "shrunk_spread"
        ),
    ),
)
TRANSFORMERS = (
    Claim(
        statement="Once instruction and demonstrations are fixed, an MLP is linear with a constant matrix Sigma_act.",
        source=said(Work.LRGD, "section 3.3, eqs. 12-14 and footnote 1", "treat it as a constant once"),
        criterion="with the secant act(z) / z at the actual z equal to 1e-12 for ReLU and GELU",
        judge=as_stated("secant_activation"),
    ),
    Claim(
        statement="The slope of the activation is no such matrix.",
        source=own("derived here from LRGD, eqs. 12-14"),
        criterion="with the tangent of GELU at the actual z apart by more than 1e-9",
        judge=as_stated("tangent_activation"),
    ),
    Claim(
        statement="The demonstrations change that matrix, and the scale of a layer norm: without them a part of their "
        "effect is lost.",
        source=own("derived here from LRGD, eqs. 12-14"),
        criterion="more than a tenth of what demonstrations change is lost with Sigma_act, for ReLU and GELU, or with "
        "the scale of the prompt without them, and they flip the sign of some pre-activations",
        judge=lost,
    ),
    Claim(
        statement="A residual is a constant of the dual model, and a layer norm linear with the scale of its input.",
        source=own(),
        criterion="equal to 1e-12",
        judge=as_stated("layer_norm"),
    ),
    Claim(
        statement="With rotary positions and with several layers there are dual models, too.",
        source=said(Work.LRGD, "section 3.3, eq. 8, and appendix C, eqs. 23-25", "sequentially from layer 1 to"),
        criterion="equal to 1e-12: rotations are a part of phi, every token of every layer has its own model",
        judge=as_stated("rotary_positions", "several_layers"),
    ),
    Claim(
        statement="Query heads that share keys and values have one dual model.",
        source=stronger(Work.LRGD, "appendix D, eqs. 26-27", "follows a blockwise gradient descent pattern"),
        criterion="in ratio form equal to 1e-12, exact features as above, with one W for each group, where the source "
        "has one for each query head",
        judge=as_stated("grouped_queries"),
    ),
    Claim(
        statement="Rotary positions keep the norms of queries and keys, on which errors of features depend.",
        source=own(),
        criterion="equal to 1e-12",
        judge=as_stated("rotary_norms"),
    ),
)
