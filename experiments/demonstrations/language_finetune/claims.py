"""Claims about learning in context and fine-tuning of one language model, over sets of demonstrations and test rows.

What the source says of the updates of attention's output, of attention maps and of the order of attention is in the
paper, and not in the abridged text that the others are cited from.
"""

from analysis.figures import transfer
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import combine, estimate
from analysis.figures.evidence import Condition, above
from analysis.figures.transfer import MOST, RISE
from analysis.tables.select import NotMeasured, Row, rows_where, table
from experiments.demonstrations.language_finetune.columns import BEHIND, GAIN, Accuracy, Table
from lab.runs.directory import RunDirectory

CHANGED = 0.02  # of the answers: fewer are a fine-tuning that does nothing
VARIES = 0.01  # of being right in context, where 1 % or 99 % of the rows are
ALL: transfer.Where = {}
NULLS = {"per_episode": "lift over in-context accuracy per set", "other": "lift over tuning on other demonstrations"}


def _learner(directory: RunDirectory, learner: str) -> list[Row]:
    """Return the rows of a learner, without those of sets whose fine-tuning diverged."""
    rows = rows_where(table(directory, Table.ACCURACY), {Accuracy.LEARNER: learner})
    rows = [row for row in rows if row.number(Accuracy.ACCURACY) >= 0]
    if not rows:
        raise NotMeasured("fine-tuning diverged with every set")
    return rows


def learns_in_context(directory: RunDirectory) -> list[Condition]:
    return [above("accuracy in context - zero-shot", estimate(_learner(directory, "in_context"), GAIN))]


def changes(directory: RunDirectory) -> list[Condition]:
    share = transfer.value(directory, ALL, "changed", "fine_tuned")
    return [above("share of answers that fine-tuning changes", share, CHANGED)]


def varies(directory: RunDirectory) -> list[Condition]:
    """Return the condition that Rec2FTP can differ from its null: not where all answers of a set are right, or none."""
    share = transfer.value(directory, ALL, "rec2ftp", "per_episode")
    return [above("variance of being right in context, of rows wrong zero-shot", combine(_variance, share), VARIES)]


def _variance(share: float) -> float:
    return share * (1 - share)


def in_between(directory: RunDirectory) -> list[Condition]:
    rows = _learner(directory, "fine_tuned")
    return [
        above("fine-tuned - zero-shot", estimate(rows, GAIN)),
        above("in context - fine-tuned", estimate(rows, BEHIND)),
    ]


CONTROLS = (
    Control("the language model learns in context", learns_in_context),
    Control("fine-tuning changes answers", changes),
)
CLAIMS = (
    Claim(
        statement="Fine-tuning a language model on demonstrations helps, and showing them helps more.",
        source=said(Work.DAI, "experiments, table of validation accuracies"),
        criterion="accuracy: zero-shot < fine-tuned < in context, as in eleven of the twelve columns of the source's "
        "table; paired row by row",
        judge=in_between,
    ),
    Claim(
        statement="A language model gets right in context most of what fine-tuning puts right.",
        source=said(Work.DAI, "experiments, table of Rec2FTP"),
        criterion=f"Rec2FTP above {MOST}",
        judge=transfer.covers(ALL),
    ),
    Claim(
        statement="It gets more of that right in context than of all that is wrong zero-shot, and than of what "
        "fine-tuning on other demonstrations puts right.",
        source=own("derived here from Rec2FTP of Dai et al., whose value alone does not tell it from accuracy"),
        criterion="Rec2FTP above P(in context right | zero-shot wrong) of the same set, and above Rec2FTP with "
        "fine-tuning on other demonstrations",
        judge=transfer.lifted(ALL, NULLS),
        controls=(*CONTROLS, Control("within a set some answers in context are right and others wrong", varies)),
    ),
    Claim(
        statement="In-context learning and fine-tuning move the output of a language model's attention alike.",
        source=stronger(Work.DAI, "the paper's section on SimAOU"),
        criterion="SimAOU above that of random directions, in the mean over the layers",
        judge=transfer.over_layers(
            ALL, "sim_aou", "over_random", "SimAOU - that of random directions, mean over layers"
        ),
    ),
    Claim(
        statement="They move it more alike on the same demonstrations than on others.",
        source=stronger(Work.DAI, "the paper's section on SimAOU"),
        criterion="SimAOU above that with fine-tuning on other demonstrations, in every layer",
        judge=transfer.in_every_layer(ALL, "sim_aou", "difference"),
    ),
    Claim(
        statement="They do once the update that all test rows share is taken off.",
        source=own("derived here from SimAOU of Dai et al."),
        criterion="centred SimAOU above that with fine-tuning on other demonstrations, in every layer",
        judge=transfer.in_every_layer(ALL, "sim_aou_centred", "difference"),
    ),
    Claim(
        statement="In context a language model attends as after fine-tuning, and less as before it.",
        source=stronger(Work.DAI, "the paper's section on SimAM"),
        criterion=f"SimAM with the fine-tuned model above that with the zero-shot model by more than {RISE}, in the "
        "mean over the layers above the first",
        judge=transfer.attention_rises(ALL),
    ),
    Claim(
        statement="In-context learning and fine-tuning of a language model order the demonstrations alike by how much "
        "they attend to them.",
        source=stronger(Work.DAI, "the paper's section on Kendall's tau"),
        criterion="Kendall's tau above that of random orders, in the mean over the layers",
        judge=transfer.over_layers(
            ALL, "kendall", "over_random", "Kendall's tau - that of random orders, mean over layers"
        ),
    ),
    Claim(
        statement="They do more than with fine-tuning on other demonstrations in the same places.",
        source=own("derived here from Kendall's tau of Dai et al."),
        criterion="Kendall's tau above that with fine-tuning on other demonstrations, in the mean over the layers",
        judge=transfer.over_layers(ALL, "kendall", "difference", "Kendall's tau - that with other demonstrations"),
    ),
)
