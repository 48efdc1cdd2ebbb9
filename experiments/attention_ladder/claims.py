"""Claims about simpler attention in the place of softmax, judged over seeds, of decoders that learn in context."""

from collections.abc import Callable

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, above, below, within
from analysis.tables.select import NotMeasured, distinct, group_by, rows_where, table
from experiments.attention_ladder.columns import Common, Layers, Rungs, Table
from lab.runs.directory import RunDirectory

ALIKE = 0.01  # a difference of accuracies that counts as none
MOST = 0.95  # of the answers
EXACT = 0.999  # of the answers: numbers of 32 bits may turn one whose two best classes are nearly as likely
ALIGNED = 0.9  # a cosine of two updates that counts as the same direction
MUCH = 0.05  # a loss of accuracy that counts


def _of(directory: RunDirectory, rung: str, column: Rungs) -> Estimate:
    return estimate(rows_where(table(directory, Table.RUNGS), {Common.RUNG: rung}), column)


def _taylor(directory: RunDirectory) -> list[str]:
    """Return the rungs with Taylor weights, in the order of their degrees."""
    names = [str(name) for name in distinct(table(directory, Table.RUNGS), Common.RUNG)]
    taylor = [name for name in names if name.startswith("Taylor")]
    if not taylor:
        raise NotMeasured("there are no Taylor weights")
    return sorted(taylor, key=lambda name: int(name.split()[-1]))


def learns_in_context(directory: RunDirectory) -> list[Condition]:
    return [above("accuracy in context - zero-shot", _of(directory, "softmax", Rungs.LEARNED))]


def answers_alike(rung: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether a rung answers as the decoder itself does."""

    def judge(directory: RunDirectory) -> list[Condition]:
        return [
            within(f"{rung}: accuracy lost", _of(directory, rung, Rungs.LOST), ALIKE),
            above(f"{rung}: agreement", _of(directory, rung, Rungs.AGREEMENT), MOST),
        ]

    return judge


def highest_degree_alike(directory: RunDirectory) -> list[Condition]:
    return answers_alike(_taylor(directory)[-1])(directory)


def climbs(directory: RunDirectory) -> list[Condition]:
    names = _taylor(directory)
    agreements = [_of(directory, name, Rungs.AGREEMENT) for name in names]
    if len(names) < 2:
        raise NotMeasured("there is one degree")
    return [
        above(f"agreement, {high} - {low.split()[-1]}", other - one)
        for (low, one), (high, other) in zip(
            zip(names, agreements, strict=True), [*zip(names, agreements, strict=True)][1:], strict=False
        )
    ]


def normaliser_matters(directory: RunDirectory) -> list[Condition]:
    rung = "normaliser without examples"
    return [above(f"{rung}: accuracy lost", _of(directory, rung, Rungs.LOST), MUCH)]


def dividing_helps(directory: RunDirectory) -> list[Condition]:
    one, other = (_of(directory, rung, Rungs.LOST) for rung in ("linear, divided by n", "linear"))
    return [below("accuracy lost, linear divided by n - linear", one - other)]


def exactly(directory: RunDirectory) -> list[Condition]:
    return [above("step of dual models: agreement", _of(directory, "step of dual models", Rungs.AGREEMENT), EXACT)]


def updates_alike(directory: RunDirectory) -> list[Condition]:
    rung = "linear, divided by n"
    rows = rows_where(table(directory, Table.LAYERS), {Common.RUNG: rung})
    layers = group_by(rows, Layers.LAYER)
    cosines = {layer: estimate(layers[layer], Layers.SIMILARITY) for layer in sorted(layers)}
    return [above(f"{rung}: cosine of the updates, layer {layer:g}", cosine, ALIGNED)
            for layer, cosine in cosines.items()]  # fmt: skip


CONTROLS = (Control("the decoders learn in context", learns_in_context),)
CLAIMS = (
    Claim(
        statement="Without its softmax a trained decoder answers as it does with it.",
        source=stronger(Work.DAI, "section on the method: the dual form of attention without its softmax"),
        criterion=f"with linear attention in its place the accuracy differs by less than {ALIKE}, and {MOST:.0%} of "
        "the answers are the same; the source drops the softmax to read the formula, and measures no such decoder",
        judge=answers_alike("linear"),
    ),
    Claim(
        statement="It does so with linear attention that is divided by the number of tokens.",
        source=own("derived here from attention without its softmax of Dai et al."),
        criterion="the same with linear attention divided by the number of tokens that are seen",
        judge=answers_alike("linear, divided by n"),
    ),
    Claim(
        statement="Divided by the number of tokens, linear attention keeps more.",
        source=own("derived here from attention without its softmax of Dai et al."),
        criterion="it loses less accuracy than linear attention that is not divided",
        judge=dividing_helps,
    ),
    Claim(
        statement="Divided by the number of tokens, linear attention moves attention's output as softmax does.",
        source=own("derived here from attention without its softmax and SimAOU of Dai et al."),
        criterion="cosine of the updates that the examples make in attention's output, with either attention, above "
        f"{ALIGNED} in every layer",
        judge=updates_alike,
    ),
    Claim(
        statement="With Taylor weights of the highest degree it answers as with softmax.",
        source=own("derived here: Lagrange's remainder is small where scores are"),
        criterion=f"accuracy to {ALIKE}, and {MOST:.0%} of the answers",
        judge=highest_degree_alike,
    ),
    Claim(
        statement="Every higher degree brings answers closer to those of softmax.",
        source=own("derived here: Lagrange's remainder falls with the degree beyond the largest score"),
        criterion="the share of answers that are the same rises from each degree to the next",
        judge=climbs,
    ),
    Claim(
        statement="What demonstrations do to softmax's normaliser matters.",
        source=own("derived here from LRGD, eqs. 8-11, in which the normaliser sums over demonstrations, too"),
        criterion=f"with the normaliser of instructions and the query itself more than {MUCH} of accuracy is lost",
        judge=normaliser_matters,
    ),
    Claim(
        statement="One gradient step of every token's dual model, in every layer, answers as the decoder does.",
        source=said(Work.LRGD, "section 3.3, eqs. 8-11, and appendix C, eqs. 24-25"),
        criterion=f"in ratio form more than {EXACT:.1%} of the answers are the same",
        judge=exactly,
    ),
    Claim(
        statement="Scales and secants of the prompt without demonstrations answer as the actual ones do.",
        source=own("derived here from LRGD, eqs. 12-14, whose matrix is constant for a given prompt"),
        criterion="the queries' layer norms and activations are linearised at the prompt without demonstrations: "
        f"accuracy to {ALIKE}, and {MOST:.0%} of the answers",
        judge=answers_alike("scales without examples"),
    ),
)
