"""Claims about interleaved tokens [VO23, section 4], judged over seeds at the last training step.

The criteria were written before the run that judges them. By then, prototypes with other numbers of steps and other
rates had been seen. The last criterion was first applied to the other two parts, for which it is not met.
"""

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate, combine, estimate
from analysis.figures.evidence import Condition, above, below, within
from analysis.figures.measures import excess, loss
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves, Seeds, Table
from analysis.tables.select import Row, group_by, rows_where, table, text
from experiments.regression.comparison.claims.controls import flat_for_descent, learns, reaches_descent
from lab.runs.directory import RunDirectory

FIGURE_5 = said(Work.VO23, "section 4 and figure 5")
SOFTMAX, LINEAR, MUON, BY_HAND = "softmax", "linear", "linear_muon", "constructed"
SOFTMAX_LEARNS, MUON_LEARNS = learns(part=SOFTMAX), learns(part=MUON)


def at_end(directory: RunDirectory, part: str) -> list[Row]:
    """Return a part's rows of seeds.csv on the test episodes."""
    return rows_where(table(directory, Table.SEEDS), {Seeds.EVALUATION: "test", "part": part})


def matches_one_step(directory: RunDirectory) -> list[Condition]:
    return [within("trained / one step of gradient descent - 1", excess(at_end(directory, SOFTMAX)), 0.05)]


def not_two_steps(directory: RunDirectory) -> list[Condition]:
    rows = at_end(directory, SOFTMAX)
    return [above("trained - two steps of gradient descent", loss(rows) - loss(rows, "further_descent"))]


def reaches_the_construction(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(at_end(directory, SOFTMAX), {Seeds.LEARNER: BY_HAND})
    conditions = [above("cosine with the constructed one", estimate(rows, Metric.COSINE), 0.99)]
    curves = rows_where(table(directory, Table.CURVES), {"part": SOFTMAX})
    start, *_, end = group_by(curves, Curves.STEP).values()
    for metric, words in ((Metric.PREDICTION_L2, "prediction difference"), (Metric.SENSITIVITY_L2, "model difference")):
        first, last = (estimate(rows, f"{BY_HAND}.{metric}") for rows in (start, end))
        conditions.append(below(f"{words} at step {text(end[0][Curves.STEP])} / at step 0", last / first, 0.1))
    return conditions


def others_over_partner(directory: RunDirectory) -> Estimate:
    """Return how much a token depends on other examples' tokens, over how much on its partner's token.

    This is measured behind the first layer, at the last training step. The partner of an input is its answer, and of an
    answer its input; the larger of these two dependences counts.
    """
    curves = rows_where(table(directory, Table.CURVES), {"part": SOFTMAX})
    last = list(group_by(curves, Curves.STEP).values())[-1]
    others, following, previous = (estimate(last, f"copying.{name}") for name in ("others", "next", "previous"))
    return combine(lambda others, following, previous: others / max(following, previous), others, following, previous)


def copies(directory: RunDirectory) -> list[Condition]:
    return [below("derivative in other tokens / in the partner", others_over_partner(directory), 0.1)]


def linear_does_not_train(directory: RunDirectory) -> list[Condition]:
    return [above("linear first: trained / one step of gradient descent - 1", excess(at_end(directory, LINEAR)), 0.2)]


def goes_further(directory: RunDirectory) -> list[Condition]:
    rows = at_end(directory, MUON)
    plus_plus, one_step = (
        estimate(rows_where(rows, {Seeds.LEARNER: name}), Metric.COSINE) for name in ("gd_plus_plus", BY_HAND)
    )
    return [
        above("linear first, Muon: cosine with GD++ - with one step", plus_plus - one_step),
        below("linear first, Muon: trained / one step of gradient descent - 1", excess(rows)),
    ]


CLAIMS = (
    Claim(
        statement="Two trained layers on interleaved tokens, the first with softmax, match one step of gradient "
        "descent.",
        source=FIGURE_5,
        criterion="at the end, trained loss / that of one step - 1 is within 5%",
        judge=matches_one_step,
        points=SOFTMAX,
        controls=SOFTMAX_LEARNS,
    ),
    Claim(
        statement="They do not match two steps.",
        source=FIGURE_5,
        criterion="at the end, the trained loss is above that of two steps of gradient descent at their best rate",
        judge=not_two_steps,
        points=SOFTMAX,
        controls=SOFTMAX_LEARNS,
    ),
    Claim(
        statement="Training reaches the construction: a layer that merges tokens, and one that descends.",
        source=stronger(Work.VO23, "section 4 and figure 5"),
        criterion="at the end, the mean cosine of sensitivities with the constructed Transformer is above 0.99, and "
        "the mean differences of predictions and sensitivities are below a tenth of the untrained one's",
        judge=reaches_the_construction,
        points=SOFTMAX,
        controls=SOFTMAX_LEARNS,
    ),
    Claim(
        statement="The first layer copies: its tokens depend on their neighbour and hardly on any other.",
        source=FIGURE_5,
        criterion="at the end, the mean norm of the derivative in tokens of other examples is below a tenth of that in "
        "the partner",
        judge=copies,
        points=SOFTMAX,
        controls=SOFTMAX_LEARNS,
    ),
    Claim(
        statement="With linear attention in the first layer it does not train.",
        source=FIGURE_5,
        criterion="at the end, the loss with a linear first layer is more than 20% above that of one step",
        judge=linear_does_not_train,
        points=LINEAR,
        other_points=SOFTMAX,
        controls=(reaches_descent(part=SOFTMAX), flat_for_descent(part=LINEAR)),  # the recipe trains the softmax
    ),
    Claim(
        statement="Muon trains a linear first layer, past one step: it also transforms inputs, as GD++ does.",
        source=own("derived here from VO23, sections 3 and 4"),
        criterion="at the end, the cosine with two steps of GD++ is above that with one step of gradient descent, and "
        "the loss is below that of one step",
        judge=goes_further,
        points=MUON,
        controls=MUON_LEARNS,
    ),
)
