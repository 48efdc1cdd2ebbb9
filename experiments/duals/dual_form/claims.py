"""Claims about attention and gradient descent, linear and softmax.

Where a source asserts that two functions are equal and the table measures how far they are apart, the claim is the
source's sentence, and equality to 1e-12 its criterion. Nothing is trained, so there are no controls.
"""

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from experiments.duals.dual_form.generation_claims import GENERATION
from experiments.duals.dual_form.judges import as_equal, as_stated
from experiments.duals.dual_form.regularizer_claims import REGULARIZERS
from experiments.duals.dual_form.transformer_claims import TRANSFORMERS

LINEAR = (
    Claim(
        statement="Linear attention over error signals is one step of gradient descent on a linear layer.",
        source=said(Work.LRGD, "section 3.2, eqs. 1-4", "combines gradient descent and linear attention"),
        criterion="equal to 1e-12 for squared error, cross-entropy and the Hebbian loss",
        judge=as_stated("one_step"),
    ),
    Claim(
        statement="S full-batch steps are linear attention whose values are error signals summed over the steps.",
        source=own("derived here from LRGD, eqs. 1-4"),
        criterion="equal to 1e-12 for the three losses",
        judge=as_stated("several_steps"),
    ),
    Claim(
        statement="Online steps are linear attention in which each value depends on the values before it.",
        source=own("derived here from LRGD, eqs. 1-4"),
        criterion="equal to 1e-12 for the three losses",
        judge=as_stated("online_steps"),
    ),
    Claim(
        statement="Online and batch descent are different functions unless the loss is linear in the prediction.",
        source=own(),
        criterion="after one pass apart by more than 1e-9 for squared error and cross-entropy, equal to 1e-12 for the "
        "Hebbian loss",
        judge=as_stated("batch_same_as_online", "batch_not_online"),
    ),
)
SOFTMAX = (
    Claim(
        statement="Softmax attention is one step of gradient descent on a dual model's loss L_ICL.",
        source=said(
            Work.LRGD,
            "section 3.3, eqs. 8-11, and appendix B, eqs. 20-22",
            "equivalence between LRGD token generation and gradient descent",
        ),
        criterion="with the normalizer of the query equal to 1e-12 in kernel form; in exact features, the loss "
        "differentiated automatically, to 1e-12 of the largest kernel value",
        judge=as_stated("dual_step"),
    ),
    Claim(
        statement="The dual model starts from a matrix W_0 that depends on the task instruction alone.",
        source=said(Work.LRGD, "section 3.3, below eq. 10", "is a constant matrix dependent only on"),
        criterion="W_0 = c V_T phi(K_T)^T is equal to 1e-12 for the same instruction with half of the demonstrations",
        judge=as_equal("start_demonstrations"),
    ),
    Claim(
        statement="The dual model's loss is the cosine similarity of labels v_i and samples W phi(k_i).",
        source=said(Work.LRGD, "section 3.3, training phase", "computes the cosine similarity"),
        criterion="L_ICL at W_0 is equal to -c / beta times the sum of the cosines, and a step on that sum leads to "
        "attention, both to 1e-12",
        judge=as_equal("cosine_loss"),
    ),
    Claim(
        statement="The dual model of one query does not answer another one, as its normalizer is in W_0 and in L_ICL.",
        source=own("derived here from LRGD, eqs. 8-11"),
        criterion="the step with the normalizer of another query is apart from attention by more than 1e-9",
        judge=as_stated("other_normalizer"),
    ),
    Claim(
        statement="One loss for all queries has softmax attention as its gradient step: with values (v, 1), a ratio.",
        source=own("derived here from LRGD, eqs. 8-11"),
        criterion="equal to 1e-12, also where exponentials of scores overflow; exact features as above",
        judge=as_stated("ratio_form"),
    ),
    Claim(
        statement="The gradient in a model's coefficients is kappa(K, K) times that in function space.",
        source=own(),
        criterion="equal to 1e-12 of the largest kernel value",
        judge=as_stated("coefficient_gradient"),
    ),
    Claim(
        statement="Taylor features of degree p give softmax attention up to Lagrange's remainder.",
        source=own(),
        criterion="the error is within the bound at p = 2, 4, 8, 12, 16",
        judge=as_stated("taylor_features"),
    ),
    Claim(
        statement="One whole step leads to attention, and three passes over the demonstrations lead past it.",
        source=own("derived here from LRGD, eqs. 8-11, for one output token"),
        criterion="after three passes the answer is apart from attention by more than 1e-9",
        judge=as_stated("three_passes"),
    ),
    Claim(
        statement="L_ICL is linear: it has no minimizer, order and batches do not matter, and P passes are P steps.",
        source=own("derived here from LRGD, eq. 11"),
        criterion="each pass lowers the loss by the same amount, any order gives one step, and the squared error after "
        "P passes is (P - 1)^2 times that before the first, all to 1e-12 of the largest kernel value",
        judge=as_stated("no_minimizer", "order_and_batches", "passes"),
    ),
)
CLAIMS = LINEAR + SOFTMAX + GENERATION + REGULARIZERS + TRANSFORMERS
