"""Claims about in-context learning and fine-tuning, judged over seeds, of decoders that learn in context.

Dai et al. measure the updates of attention's output, attention maps and the order of attention, too. These sections are
in the paper, and not in the abridged text that the others are cited from.
"""

from analysis.figures import transfer
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, above, within
from analysis.figures.transfer import RISE
from analysis.tables.select import rows_where, table
from experiments.demonstrations.icl_vs_finetune.columns import Accuracy, Common, Table
from lab.runs.directory import RunDirectory

NONE = 0.05  # a cosine that counts as none
TRAINED: transfer.Where = {Common.MODEL: "trained", Common.SCHEDULE: "one_epoch"}
UNTRAINED: transfer.Where = {Common.MODEL: "untrained", Common.SCHEDULE: "one_epoch"}
NULLS = {"per_episode": "lift over in-context accuracy per episode", "other": "lift over tuning on other examples"}


def _accuracy(directory: RunDirectory, learner: str, where: transfer.Where = TRAINED) -> Estimate:
    rows = rows_where(table(directory, Table.ACCURACY), {**where, Accuracy.LEARNER: learner})
    return estimate(rows, Accuracy.ACCURACY)


def learns_in_context(directory: RunDirectory) -> list[Condition]:
    gain = _accuracy(directory, "in_context") - _accuracy(directory, "zero_shot")
    return [above("accuracy in context - zero-shot", gain)]


def in_between(directory: RunDirectory) -> list[Condition]:
    zero_shot, tuned, context = (_accuracy(directory, name) for name in ("zero_shot", "fine_tuned", "in_context"))
    return [above("fine-tuned - zero-shot", tuned - zero_shot), above("in context - fine-tuned", context - tuned)]


def recovers(directory: RunDirectory) -> list[Condition]:
    return transfer.covers(TRAINED)(directory) + transfer.lifted(TRAINED, NULLS)(directory)


def nothing_untrained(directory: RunDirectory) -> list[Condition]:
    layers = transfer.by_layer(directory, UNTRAINED, "sim_aou_centred", "difference")
    return [within(f"layer {layer:g}", difference, NONE) for layer, difference in layers.items()]


def tuning_needs_no_training(directory: RunDirectory) -> list[Condition]:
    gains = [
        _accuracy(directory, "fine_tuned", where) - _accuracy(directory, "zero_shot", where)
        for where in (TRAINED, UNTRAINED)
    ]
    return [above("accuracy gained by one epoch, untrained - trained", gains[1] - gains[0])]


CONTROLS = (Control("the decoders learn in context", learns_in_context),)
CLAIMS = (
    Claim(
        statement="Fine-tuning on the examples helps, and learning in context helps more.",
        source=said(Work.DAI, "experiments, table of validation accuracies"),
        criterion="accuracy: zero-shot < fine-tuned for one epoch < in context, as in eleven of the twelve columns "
        "of the source's table",
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
        source=stronger(Work.DAI, "the paper's section on SimAOU"),
        criterion="SimAOU after one epoch above that with another episode's examples, in every layer",
        judge=transfer.in_every_layer(TRAINED, "sim_aou", "difference"),
    ),
    Claim(
        statement="They do once the update that all queries share is taken off.",
        source=own("derived here from SimAOU of Dai et al."),
        criterion="centred SimAOU after one epoch above that with another episode's examples, in every layer",
        judge=transfer.in_every_layer(TRAINED, "sim_aou_centred", "difference"),
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
        source=stronger(Work.DAI, "the paper's section on SimAM"),
        criterion=f"SimAM with the fine-tuned model above that with the zero-shot model by more than {RISE}, in the "
        "mean over the layers above the first",
        judge=transfer.attention_rises(TRAINED),
    ),
    Claim(
        statement="In-context learning and fine-tuning order the examples alike by how much they attend to them.",
        source=stronger(Work.DAI, "the paper's section on Kendall's tau"),
        criterion="Kendall's tau after one epoch above 0, that of orders that have nothing in common, in every layer",
        judge=transfer.in_every_layer(TRAINED, "kendall", "fine_tuned", ": Kendall's tau"),
    ),
    Claim(
        statement="Fine-tuning gains more in a decoder that has learned nothing before.",
        source=own("derived here: what a decoder has learned of its prototypes it answers zero-shot"),
        criterion="accuracy after one epoch of fine-tuning - zero-shot, of untrained models above that of trained ones",
        judge=tuning_needs_no_training,
        controls=(),
    ),
)
