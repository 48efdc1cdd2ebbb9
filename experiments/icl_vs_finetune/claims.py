"""Claims about in-context learning and fine-tuning, judged over seeds, of decoders that learn in context.

Dai et al. measure the updates of attention's output, attention maps and the order of attention, too. These sections are
in the paper, and not in the abridged text that the others are cited from.
"""

from collections.abc import Callable

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate, mean
from analysis.figures.evidence import Condition, above, within
from analysis.tables.select import NotMeasured, Row, group_by, rows_where, table
from experiments.icl_vs_finetune.columns import Accuracy, Common, Table, Transfer
from lab.runs.directory import RunDirectory

MOST = 0.5  # of what fine-tuning puts right
NONE = 0.05  # a cosine that counts as none
RISE = 0.01  # of SimAM, whose scale is 1


def _accuracy(directory: RunDirectory, learner: str, model: str = "trained") -> Estimate:
    wanted = {Common.MODEL: model, Common.SCHEDULE: "one_epoch", Accuracy.LEARNER: learner}
    return estimate(rows_where(table(directory, Table.ACCURACY), wanted), Accuracy.ACCURACY)


def _transfer(directory: RunDirectory, measure: str, arm: str, model: str = "trained") -> list[Row]:
    wanted = {Common.MODEL: model, Common.SCHEDULE: "one_epoch", Transfer.MEASURE: measure, Transfer.ARM: arm}
    return rows_where(table(directory, Table.TRANSFER), wanted)


def _by_layer(rows: list[Row]) -> dict[float, Estimate]:
    return {layer: estimate(group, Transfer.VALUE) for layer, group in group_by(rows, Transfer.LAYER).items()}


def learns_in_context(directory: RunDirectory) -> list[Condition]:
    gain = _accuracy(directory, "in_context") - _accuracy(directory, "zero_shot")
    return [above("accuracy in context - zero-shot", gain)]


def in_between(directory: RunDirectory) -> list[Condition]:
    zero_shot, tuned, context = (_accuracy(directory, name) for name in ("zero_shot", "fine_tuned", "in_context"))
    return [above("fine-tuned - zero-shot", tuned - zero_shot), above("in context - fine-tuned", context - tuned)]


def recovers(directory: RunDirectory) -> list[Condition]:
    share = estimate(_transfer(directory, measure="rec2ftp", arm="fine_tuned"), Transfer.VALUE)
    names = {"per_episode": "lift over in-context accuracy per episode", "other": "lift over tuning on other examples"}
    return [above("Rec2FTP", share, MOST)] + [
        above(label, estimate(_transfer(directory, measure="lift", arm=arm), Transfer.VALUE))
        for arm, label in names.items()
    ]


def aligned(measure: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether, in every layer, updates are closer to those of fine-tuning on the same examples than
    on others."""

    def judge(directory: RunDirectory) -> list[Condition]:
        differences = _by_layer(_transfer(directory, measure=measure, arm="difference"))
        return [above(f"layer {layer:g}", difference) for layer, difference in differences.items()]

    return judge


def nothing_untrained(directory: RunDirectory) -> list[Condition]:
    rows = _transfer(directory, model="untrained", measure="sim_aou_centred", arm="difference")
    return [within(f"layer {layer:g}", difference, NONE) for layer, difference in _by_layer(rows).items()]


def tuning_needs_no_training(directory: RunDirectory) -> list[Condition]:
    gains = [
        _accuracy(directory, "fine_tuned", model) - _accuracy(directory, "zero_shot", model)
        for model in ("trained", "untrained")
    ]
    return [above("accuracy gained by one epoch, untrained - trained", gains[1] - gains[0])]


def attention_rises(directory: RunDirectory) -> list[Condition]:
    """The first layer is left out: its queries do not see the context, so that its map is the zero-shot one."""
    rows = [row for row in _transfer(directory, "sim_am", "rise") if row.number(Transfer.LAYER) > 1]
    if not rows:
        raise NotMeasured("there is no layer above the first")
    return [above("rise, mean over the layers above the first", mean([*_by_layer(rows).values()]), RISE)]


def same_order(directory: RunDirectory) -> list[Condition]:
    orders = _by_layer(_transfer(directory, "kendall", "fine_tuned"))
    return [above(f"layer {layer:g}: Kendall's tau", tau) for layer, tau in orders.items()]


CONTROLS = (Control("the decoders learn in context", learns_in_context),)
CLAIMS = (
    Claim(
        statement="Fine-tuning on the examples helps, and learning in context helps more.",
        source=said(Work.DAI, "experiments, table of validation accuracies"),
        criterion="accuracy: zero-shot < fine-tuned for one epoch < in context",
        judge=in_between,
    ),
    Claim(
        statement="In-context learning gets right most of what fine-tuning gets right, and more often than it is "
        "right anyway.",
        source=stronger(Work.DAI, "experiments, table of Rec2FTP (.86 and .89)"),
        criterion="Rec2FTP after one epoch above one half, above P(in context right | zero-shot wrong) of the same "
        "episodes, and above Rec2FTP with fine-tuning on another episode's examples",
        judge=recovers,
    ),
    Claim(
        statement="In-context learning and fine-tuning move attention's output the same way.",
        source=stronger(Work.DAI, "section on SimAOU"),
        criterion="SimAOU after one epoch above that with another episode's examples, in every layer",
        judge=aligned("sim_aou"),
    ),
    Claim(
        statement="They do once the update that all queries share is taken off.",
        source=own("derived here from SimAOU of Dai et al."),
        criterion="centred SimAOU after one epoch above that with another episode's examples, in every layer",
        judge=aligned("sim_aou_centred"),
    ),
    Claim(
        statement="An untrained model shows none of it.",
        source=own("derived here from SimAOU of Dai et al."),
        criterion=f"centred SimAOU of untrained models differs by less than {NONE} from that with another episode's "
        "examples, in every layer",
        judge=nothing_untrained,
        controls=(),
    ),
    Claim(
        statement="In-context learning attends as the fine-tuned model does, and less as the zero-shot model does.",
        source=stronger(Work.DAI, "section on SimAM"),
        criterion=f"SimAM with the fine-tuned model above that with the zero-shot model by more than {RISE}, in the "
        "mean over the layers above the first",
        judge=attention_rises,
    ),
    Claim(
        statement="In-context learning and fine-tuning order the examples alike by how much they attend to them.",
        source=said(Work.DAI, "section on Kendall's tau"),
        criterion="Kendall's tau after one epoch above 0, that of orders that have nothing in common, in every layer",
        judge=same_order,
    ),
    Claim(
        statement="Fine-tuning gains more in a decoder that has learned nothing before.",
        source=own("derived here: what a decoder has learned of its prototypes it answers zero-shot"),
        criterion="accuracy after one epoch of fine-tuning - zero-shot, of untrained models above that of trained ones",
        judge=tuning_needs_no_training,
        controls=(),
    ),
)
