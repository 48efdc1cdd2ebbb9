"""Claims of RAG-GD about its figure 2, and two of this lab: on the choice of sigma, and on how alike retrievers are."""

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, within
from analysis.figures.measures import GD, from_the_mean, loss
from analysis.figures.measures import excess as excess_of
from analysis.results.declared import claim
from analysis.results.quantity import Quantity
from analysis.tables.columns import Seeds, Table
from analysis.tables.select import NotMeasured, Row, distinct, group_by, rows_where, table, text
from experiments.regression.comparison.controls import learns
from experiments.regression.comparison.results import TRAINED
from experiments.regression.comparison.results import loss as losses
from lab.runs.directory import RunDirectory

RESULTS, CAPTION = "section 3, results", "figure 2, caption"  # places in RAG-GD
SAME = 0.05  # relative difference of losses; such curves coincide in the figure, whose axis of losses is logarithmic
ALIKE = 0.01  # the distance from gradient descent within which figure 1 counts losses as the same
LINEAR, DOT, WIDER = (learns(part=part) for part in ("rag_linear", "rag_dot", "sigma"))


def by_count(directory: RunDirectory, part: str, **place) -> dict[str, list[Row]]:
    """Return {"5 documents": the rows of seeds.csv on the test episodes}, fewest documents first.

    Raises:
        NotMeasured: there are not two counts to compare.
    """
    rows = rows_where(table(directory, Table.SEEDS), {Seeds.EVALUATION: "test", "part": part, **place})
    groups = group_by(rows, "num_documents")
    if len(groups) < 2:
        raise NotMeasured(f"fewer than two counts of documents of {part}")
    return {f"{text(count)} documents": group for count, group in groups.items()}


def at_each_count(part: str, learner: str = TRAINED) -> Quantity:
    """Return the loss at every number of documents."""
    return losses.where(part=part).along("num_documents", learner)


def excess(part: str, learner: str = TRAINED) -> Quantity:
    """Return the loss over gradient descent's, minus 1, at every number of documents."""
    return at_each_count(part, learner) / at_each_count(part, GD) - 1


def distance(part: str) -> Quantity:
    return excess(part).map("|{}|", abs)


def flat(directory: RunDirectory, part: str, prefix: str = "", **place) -> list[Condition]:
    losses = {count: loss(rows) for count, rows in by_count(directory, part, **place).items()}
    return [
        within(f"{prefix}{count}: loss / mean over the counts - 1", share, SAME)
        for count, share in from_the_mean(losses).items()
    ]


def flat_at_larger_sigma(directory: RunDirectory) -> list[Condition]:
    sigmas = distinct(rows_where(table(directory, Table.SEEDS), {"part": "sigma"}), "sigma")
    return [each for sigma in sigmas for each in flat(directory, "sigma", f"sigma {text(sigma)}, ", sigma=sigma)]


def shifted(directory: RunDirectory, no_wider: bool) -> list[Condition]:
    """Return one condition per scale alpha of the inputs, retriever and learner.

    Each is taken at the number of documents at which the learner is farthest from gradient descent.

    Args:
        no_wider: of the scales up to 1, whose inputs are no wider than in training; False: of those above 1.
    """
    worst: dict[str, Condition] = {}
    seeds = [row for row in table(directory, Table.SEEDS) if row.text(Seeds.EVALUATION).startswith("alpha=")]
    for evaluation, rows in sorted(group_by(seeds, Seeds.EVALUATION).items(), key=lambda item: _alpha(item[0])):
        if (_alpha(evaluation) <= 1) != no_wider:
            continue
        for part in ("rag_linear", "rag_dot"):
            for count, group in group_by(rows_where(rows, {"part": part}), "num_documents").items():
                for learner in ("transformer", "interpolated"):
                    number, place = excess_of(group, learner), f"{part}, {evaluation}, {learner}"
                    if place not in worst or abs(number.mean) > abs(worst[place].number.mean):
                        worst[place] = within(f"{place}, {text(count)} documents", number, SAME)
    return list(worst.values())


def _alpha(evaluation: str) -> float:
    return float(evaluation.partition("=")[2])


CLAIMS = (
    claim(
        "With the linear-projection retriever the loss rises with the number of documents.",
        said(Work.RAG_GD, RESULTS, "the loss increases significantly"),
        at_each_count("rag_linear").steps() > 0,
        controls=LINEAR,
    ),
    claim(
        "With the linear-projection retriever the trained Transformer follows gradient descent.",
        said(Work.RAG_GD, RESULTS, "continues to follow gradient descent closely"),
        excess("rag_linear").within(SAME),
        controls=LINEAR,
    ),
    Claim(
        statement="With the dot-product retriever the loss hardly depends on the number of documents.",
        source=said(Work.RAG_GD, RESULTS, "largely unaffected by the retrieval size"),
        criterion="the trained loss / its mean over the counts - 1 is within 5% at every count, at the lab's sigma of "
        "0.1, at which the retrieved part has .02 to .6% of the teacher's variance (the paper does not give sigma)",
        judge=lambda directory: flat(directory, "rag_dot"),
        controls=DOT,
    ),
    Claim(
        statement="With the dot-product retriever the loss hardly depends on the number of documents where the "
        "retrieved part is larger either.",
        source=own("derived here from RAG-GD, section 3, which gives no sigma"),
        criterion="the same, at every sigma above 0.1 that was run",
        judge=flat_at_larger_sigma,
        controls=WIDER,
    ),
    claim(
        "With the dense (dot-product) retriever the loss is closer to gradient descent's than with the linear one.",
        said(Work.RAG_GD, RESULTS, "a closer alignment between RAG and the Transformer"),
        distance("rag_linear") - distance("rag_dot") > 0,
        controls=(*LINEAR, *DOT),
    ),
    claim(
        "With both retrievers the loss is as close to gradient descent's.",
        own("derived here from RAG-GD, section 3, results"),
        (distance("rag_linear") - distance("rag_dot")).within(ALIKE),
        "within 1 percentage point figure 1 counts losses as the same",
        controls=(*LINEAR, *DOT),
    ),
    claim(
        "The interpolated Transformer follows gradient descent for every number of documents.",
        said(Work.RAG_GD, RESULTS, "nearly identical loss trends"),
        excess("rag_linear", "interpolated").within(SAME) & excess("rag_dot", "interpolated").within(SAME),
        controls=(*LINEAR, *DOT),
    ),
    Claim(
        statement="Trained and interpolated Transformers follow gradient descent on inputs no wider than in training.",
        source=said(Work.RAG_GD, CAPTION, "nearly identical losses (in log scale)"),
        criterion="for alpha <= 1, losses are within 5% of gradient descent's, at the worst count; the least "
        "alpha of the source is .5",
        judge=lambda directory: shifted(directory, no_wider=True),
        controls=(*LINEAR, *DOT),
    ),
    Claim(
        statement="Trained and interpolated Transformers follow gradient descent on wider inputs than in training.",
        source=said(Work.RAG_GD, CAPTION, "even when the test data distribution differs from training"),
        criterion="for alpha > 1, losses are within 5% of gradient descent's, at the worst count",
        judge=lambda directory: shifted(directory, no_wider=False),
        controls=(*LINEAR, *DOT),
    ),
)
