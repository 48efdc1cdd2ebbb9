"""Claims about attention and gradient descent, and how the table `identities` judges them.

Where a source asserts that two functions are equal and the table measures how far they are apart, the claim is the
source's sentence, and equality to 1e-12 its criterion.
"""

from collections.abc import Callable

from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above, below, exact
from analysis.tables.select import NotMeasured, Row, table
from experiments.dual_form.columns import Identity, Table
from lab.runs.directory import RunDirectory

EQUAL = 1e-12
Judge = Callable[[RunDirectory], list[Condition]]


def rows_of(directory: RunDirectory, *identities: str) -> list[Row]:
    """Return the rows of these identities.

    Raises:
        NotMeasured: the table lacks one of the identities.
    """
    rows = [row for row in table(directory, Table.IDENTITIES) if row[Identity.IDENTITY] in identities]
    if {row[Identity.IDENTITY] for row in rows} != set(identities):
        raise NotMeasured(f"identities.csv lacks one of {', '.join(identities)}")
    return rows


def as_stated(*identities: str) -> Judge:
    """Return a judge of these identities, for every variant, by the relation and tolerance that their rows state."""

    def judge(directory: RunDirectory) -> list[Condition]:
        bounds = {"equal": below, "different": above, "approximate": below}
        return [
            bounds[row.text(Identity.RELATION)](
                _name(row), exact(row.number(Identity.ERROR)), row.number(Identity.TOLERANCE)
            )
            for row in rows_of(directory, *identities)
        ]

    return judge


def as_equal(*identities: str) -> Judge:
    """Return a judge of whether the two sides are equal, whatever relation their rows state."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_of(directory, *identities)
        return [below(_name(row), exact(row.number(Identity.ERROR)), EQUAL) for row in rows]

    return judge


def _name(row: Row) -> str:
    return f"{row.text(Identity.IDENTITY).replace('_', ' ')} ({row[Identity.VARIANT]})"


LINEAR = (
    Claim(
        statement="Linear attention over error signals is one step of gradient descent, for any loss.",
        source="LRGD, eqs. 1-4; DAI",
        criterion="equal to 1e-12 for squared error, cross-entropy and the Hebbian loss",
        judge=as_stated("one_step"),
    ),
    Claim(
        statement="S full-batch steps are linear attention whose values are error signals summed over the steps.",
        source="derived here from LRGD, eqs. 1-4",
        criterion="equal to 1e-12 for the three losses",
        judge=as_stated("several_steps"),
    ),
    Claim(
        statement="Online steps are linear attention in which each value depends on the values before it.",
        source="derived here from LRGD, eqs. 1-4",
        criterion="equal to 1e-12 for the three losses",
        judge=as_stated("online_steps"),
    ),
    Claim(
        statement="Online and batch descent are different functions unless the loss is linear in the prediction.",
        source="derived here",
        criterion="after one pass apart by more than 1e-9 for squared error and cross-entropy, equal to 1e-12 for the "
        "Hebbian loss",
        judge=as_stated("batch_same_as_online", "batch_not_online"),
    ),
)
SOFTMAX = (
    Claim(
        statement="Softmax attention is one step of gradient descent on a dual model's loss L_ICL.",
        source="LRGD, eqs. 5-11",
        criterion="with the normalizer of the query equal to 1e-12 in kernel form; in exact features, the loss "
        "differentiated automatically, to 1e-12 of the largest kernel value",
        judge=as_stated("dual_step", "coefficient_gradient"),
    ),
    Claim(
        statement="The loss L_ICL does not depend on the query.",
        source="LRGD, eqs. 5-11",
        criterion="the step on the loss of another query is equal to attention to 1e-12",
        judge=as_equal("other_normalizer"),
    ),
    Claim(
        statement="One loss for all queries has softmax attention as its gradient step: with values (v, 1), a ratio.",
        source="derived here",
        criterion="equal to 1e-12, also where exponentials of scores overflow; exact features as above",
        judge=as_stated("ratio_form"),
    ),
    Claim(
        statement="Taylor features of degree p give softmax attention up to Lagrange's remainder.",
        source="derived here",
        criterion="the error is within the bound at p = 2, 4, 8, 12, 16",
        judge=as_stated("taylor_features"),
    ),
    Claim(
        statement="Three whole steps of gradient descent lead the dual model to attention.",
        source="LRGD, figure 8b",
        criterion="after three passes over the demonstrations the answer is equal to attention to 1e-12",
        judge=as_equal("three_passes"),
    ),
    Claim(
        statement="L_ICL is linear: it has no minimizer, order and batches do not matter, and P passes are P steps.",
        source="derived here",
        criterion="each pass lowers the loss by the same amount, any order gives one step, and the squared error after "
        "P passes is (P - 1)^2 times that before the first, all to 1e-12 of the largest kernel value",
        judge=as_stated("no_minimizer", "order_and_batches", "passes"),
    ),
)
REGULARIZERS = (
    Claim(
        statement="Perturbation tokens add terms to the loss, and leave everything else of it as it is.",
        source="LRGD, eq. 16",
        criterion="with the normalizer of the prompt without them the step is equal to attention to 1e-12",
        judge=as_equal("perturbation_old_normalizer"),
    ),
    Claim(
        statement="Perturbation tokens add terms to a loss with a new normalizer: they average in their own answer.",
        source="derived here from LRGD, eq. 16",
        criterion="equal to 1e-12, exact features as above",
        judge=as_stated("perturbation", "perturbation_average"),
    ),
    Claim(
        statement="Instruction values times 1 - alpha are an L2 term alpha / (2 beta) ||W||^2 in the loss.",
        source="LRGD, eqs. 17-18",
        criterion="for one step from W_0 equal to 1e-12, exact features as above",
        judge=as_stated("shrunk_values"),
    ),
    Claim(
        statement="They shrink what the instruction adds, and not the demonstrations' step.",
        source="derived here from LRGD, eqs. 17-18",
        criterion="the answer changes by -alpha times that of W_0, equal to 1e-12, exact features as above",
        judge=as_stated("shrunk_start"),
    ),
    Claim(
        statement="They are not where every demonstration takes its own step, however alpha is spread over the steps.",
        source="derived here",
        criterion="apart by more than 1e-9 with alpha in every step, and with alpha spread geometrically",
        judge=as_stated("shrunk_token_steps", "shrunk_spread"),
    ),
)
TRANSFORMERS = (
    Claim(
        statement="An MLP is linear with a constant Sigma_act, whatever the demonstrations.",
        source="LRGD, eqs. 12-14",
        criterion="with Sigma_act of the prompt without demonstrations nothing of their effect is lost, to 1e-12",
        judge=as_equal("frozen_activation"),
    ),
    Claim(
        statement="An MLP is linear with the secant act(z) / z at the actual z, not with the tangent.",
        source="derived here from LRGD, eqs. 12-14",
        criterion="the secant is equal to 1e-12 for ReLU and GELU, the tangent of GELU apart by more than 1e-9",
        judge=as_stated("secant_activation", "tangent_activation"),
    ),
    Claim(
        statement="A residual is a constant of the dual model, and a layer norm linear with the scale of its input.",
        source="derived here",
        criterion="equal to 1e-12",
        judge=as_stated("layer_norm"),
    ),
    Claim(
        statement="Rotary positions, grouped queries and several layers have dual models too.",
        source="LRGD, eqs. 24-27",
        criterion="equal to 1e-12, exact features as above: rotations are a part of phi, heads of a group share one W "
        "in ratio form, every token of every layer has its own model",
        judge=as_stated("rotary_positions", "rotary_norms", "grouped_queries", "several_layers"),
    ),
)
CLAIMS = LINEAR + SOFTMAX + REGULARIZERS + TRANSFORMERS
