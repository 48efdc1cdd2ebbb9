"""The results of `dual_form`: claims about attention and gradient descent, linear and softmax.

Nothing is trained, so there are no controls.
"""

import dataclasses

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.estimates import exact
from analysis.results.column import Headline
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.select import table
from experiments.duals.dual_form import identities
from lab.runs.directory import RunDirectory


def statements(directory: RunDirectory) -> Numbers:
    return {"": exact(len(table(directory, identities.IDENTITIES)))}


def statements_that_hold(directory: RunDirectory) -> Numbers:
    return {"": exact(sum(row.number(identities.HOLDS) for row in table(directory, identities.IDENTITIES)))}


def shown(name: str, label: str, sentence: str, **where: str) -> Headline:
    """Return the largest error in some rows as a headline number."""
    (key, value), *others = where.items()
    return Headline(name, label, sentence, dataclasses.replace(identities.error, key=key).where(**dict(others))[value])


HEADLINES = (
    shown("largest_error", "largest error", "Largest difference of two sides that an identity says are equal.",
          relation="equal"),
    shown("batch_against_online", "batch against online descent", "Largest distance of batch from online descent, for "
          "cross-entropy.", identity="batch_not_online", variant="cross-entropy"),
    *(shown(f"effect_lost_{name.lower()}", f"effect lost, {name}", "Share of the demonstrations' effect that is lost "
            f"with {name} linearised without them.", identity="frozen_activation", variant=name)
      for name in ("ReLU", "GELU")),
    shown("signs_flipped", "signs flipped", "Share of the pre-activations whose sign the demonstrations change.",
          identity="flipped_signs"),
    Headline("statements", "statements", "Number of statements that were checked.",
             Quantity("statements", "", statements)),
    Headline("statements_that_hold", "statements that hold", "Number of statements within their tolerance.",
             Quantity("statements that hold", "", statements_that_hold)),
)  # fmt: skip
ANSWER = (
    "of {statements} statements on attention as gradient descent {statements_that_hold} hold",
    "sides that should be equal differ by at most {largest_error} in float64",
    "an activation that is frozen at the initial model loses {effect_lost_relu} (ReLU) and {effect_lost_gelu} (GELU) "
    "of the effect",
)

CLAIMS = (
    claim(
        "Linear attention over error signals is one step of gradient descent on a linear layer.",
        said(Work.LRGD, "section 3.2, eqs. 1-4", "combines gradient descent and linear attention"),
        identities.equal("one_step"),
        "for squared error, cross-entropy and the Hebbian loss",
    ),
    claim(
        "S full-batch steps, and online steps, are linear attention: over error signals that are summed over the "
        "steps, or that depend on the values before them.",
        own("derived here from LRGD, eqs. 1-4"),
        identities.equal("several_steps", "online_steps"),
    ),
    claim(
        "Online and batch descent are different functions unless the loss is linear in the prediction.",
        own(),
        identities.equal("batch_same_as_online") & identities.different("batch_not_online"),
        "after one pass; equal for the Hebbian loss",
    ),
    claim(
        "Softmax attention is one step of gradient descent on a dual model's loss L_ICL.",
        said(
            Work.LRGD,
            "section 3.3, eqs. 8-11, and appendix B, eqs. 20-22",
            "equivalence between LRGD token generation and gradient descent",
        ),
        identities.equal("dual_step"),
        "with the normalizer of the query; exact features relative to the largest kernel value",
    ),
    claim(
        "The dual model starts from a matrix W_0 that depends on the task instruction alone.",
        said(Work.LRGD, "section 3.3, below eq. 10", "is a constant matrix dependent only on"),
        identities.equal("start_demonstrations"),
        "W_0 = c V_T phi(K_T)^T for the same instruction with half of the demonstrations",
    ),
    claim(
        "The dual model's loss is the cosine similarity of labels v_i and samples W phi(k_i).",
        said(Work.LRGD, "section 3.3, training phase", "computes the cosine similarity"),
        identities.equal("cosine_loss"),
        "L_ICL at W_0 beside -c / beta times the sum of the cosines, and a step on that sum beside attention",
    ),
    claim(
        "The dual model of one query does not answer another one, as its normalizer is in W_0 and in L_ICL. With "
        "values (v, 1), a ratio, one loss for all queries has softmax attention as its gradient step.",
        own("derived here from LRGD, eqs. 8-11"),
        identities.different("other_normalizer") & identities.equal("ratio_form"),
        "the step with the normalizer of another query beside attention; in ratio form also where exponentials of "
        "scores overflow; exact features as above",
    ),
    claim(
        "One whole step leads to attention and further passes lead past it, as L_ICL is linear: it has no minimizer, "
        "order and batches do not matter, and P passes are P steps.",
        own("derived here from LRGD, eqs. 8-11, for one output token"),
        identities.different("three_passes") & identities.equal("no_minimizer", "order_and_batches", "passes"),
        "each pass lowers the loss by the same amount, any order gives one step, and the squared error after P "
        "passes is (P - 1)^2 times that before the first; relative to the largest kernel value",
    ),
    claim(
        "For the next token the dual model starts from W_0 + c v phi(k)^T of the generated one.",
        said(Work.LRGD, "section 3.3, sequential token generation", "shifting the starting point"),
        identities.equal("generated_as_written"),
        "the step from there, with the normalizer c of the query before, beside attention",
    ),
    claim(
        "It starts from there once all of it is rescaled to the next query's normalizer; in ratio form it "
        "starts from there as it is.",
        own("derived here from LRGD, section 3.3"),
        identities.equal("generated_rescaled", "generated_ratio"),
        "exact features as above",
    ),
    claim(
        "Perturbation tokens among the demonstrations add a term of their own to the loss.",
        said(Work.LRGD, "section 3.5, eq. 16", "adding an extra loss term to the objective function"),
        identities.equal("perturbation"),
        "with the normalizer of all tokens; exact features as above",
    ),
    claim(
        "They change the normalizer of all terms, too: they average attention to them into the answer.",
        own("derived here from LRGD, eq. 16"),
        identities.equal("perturbation_average") & identities.different("perturbation_old_normalizer"),
        "the average is weighted by shares of the kernel; the old normalizer is that of the prompt without them",
    ),
    claim(
        "Instruction values times 1 - alpha are an L2 term alpha / (2 beta) ||W||^2 in the loss.",
        said(Work.LRGD, "section 3.5, eqs. 17-18", "a regularization parameter into the loss function"),
        identities.equal("shrunk_values"),
        "for one step from W_0; exact features as above",
    ),
    claim(
        "Where every demonstration takes its own step, they are the L2 term if and only if all of the shrinkage is in "
        "the first step: they shrink what the instruction adds, and not the demonstrations' steps.",
        own("derived here from LRGD, eqs. 17-18"),
        identities.equal("shrunk_start", "shrunk_first_step", "shrunk_by_steps")
        & identities.different("shrunk_later_step", "shrunk_token_steps", "shrunk_spread"),
        "by steps: a formula that shrinks each step by the terms after it; apart in every case with alpha in any one "
        "later step, in every step, and spread geometrically; exact features as above",
    ),
    claim(
        "Once instruction and demonstrations are fixed, an MLP is linear with a constant matrix Sigma_act.",
        said(Work.LRGD, "section 3.3, eqs. 12-14 and footnote 1", "treat it as a constant once"),
        identities.equal("secant_activation"),
        "with the secant act(z) / z at the actual z, for ReLU and GELU",
    ),
    claim(
        "The slope of the activation is no such matrix, and neither is that of the prompt without demonstrations, nor "
        "its scale of a layer norm: a part of their effect is lost.",
        own("derived here from LRGD, eqs. 12-14"),
        identities.different("tangent_activation", "flipped_signs")
        & identities.lost("frozen_activation", "frozen_layer_norm"),
        "the tangent of GELU is at the actual z; demonstrations flip the sign of some pre-activations",
    ),
    claim(
        "A residual is a constant of the dual model, and a layer norm linear with the scale of its input.",
        own(),
        identities.equal("layer_norm"),
    ),
    claim(
        "With rotary positions and with several layers there are dual models, too.",
        said(Work.LRGD, "section 3.3, eq. 8, and appendix C, eqs. 23-25", "sequentially from layer 1 to"),
        identities.equal("rotary_positions", "several_layers"),
        "rotations are a part of phi, every token of every layer has its own model",
    ),
    claim(
        "Query heads that share keys and values have one dual model.",
        stronger(Work.LRGD, "appendix D, eqs. 26-27", "follows a blockwise gradient descent pattern"),
        identities.equal("grouped_queries"),
        "in ratio form, with one W for each group, where the source has one for each query head; exact features as "
        "above",
    ),
)
