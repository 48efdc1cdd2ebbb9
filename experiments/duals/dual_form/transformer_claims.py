"""Claims about the dual models of whole Transformers: what is around attention in a layer."""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim
from experiments.duals.dual_form.judges import as_stated, lost

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
