"""Claims about in-context learning and fine-tuning, judged over seeds."""

from collections.abc import Callable

from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, Estimate, above, estimate, known, within
from analysis.tables.select import Row, group_by, rows_where, table
from experiments.icl_vs_finetune.columns import Accuracy, Common, Table, Transfer
from lab.runs.directory import RunDirectory

SOURCE = "DAI"
MOST = 0.8  # of Rec2FTP: the share that counts as "most" of what fine-tuning puts right
NONE = 0.05  # a cosine that counts as none
RISE = 0.01  # of SimAM, whose scale is 1


def _transfer(directory: RunDirectory, measure: str, arm: str, model: str = "trained") -> list[Row]:
    wanted = {Common.MODEL: model, Common.SCHEDULE: "one_epoch", Transfer.MEASURE: measure, Transfer.ARM: arm}
    return rows_where(table(directory, Table.TRANSFER), wanted)


def _by_layer(rows: list[Row]) -> dict[float, Estimate]:
    return {layer: estimate(group, Transfer.VALUE) for layer, group in group_by(rows, Transfer.LAYER).items()}


def in_between(directory: RunDirectory) -> list[Condition]:
    whole = table(directory, Table.ACCURACY)
    rows = rows_where(whole, {Common.MODEL: "trained", Common.SCHEDULE: "one_epoch"})
    accuracy = {name: estimate(rows_where(rows, {Accuracy.LEARNER: name}), Accuracy.ACCURACY)
                for name in ("zero_shot", "fine_tuned", "in_context")}  # fmt: skip
    return [
        above("fine-tuned - zero-shot", accuracy["fine_tuned"] - accuracy["zero_shot"]),
        above("in context - fine-tuned", accuracy["in_context"] - accuracy["fine_tuned"]),
    ]


def recovers(directory: RunDirectory) -> list[Condition]:
    rows = _transfer(directory, measure="rec2ftp", arm="fine_tuned")
    return [above("Rec2FTP", estimate(rows, Transfer.VALUE), MOST)]


def lifts(directory: RunDirectory) -> list[Condition]:
    names = {"per_episode": "lift over in-context accuracy per episode", "other": "lift over tuning on other examples"}
    return [
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
    return [
        within(
            f"layer {row[Transfer.LAYER]:g}",
            known(row.number(Transfer.VALUE), row.number(Transfer.STDERR)),
            NONE,
        )
        for row in rows
    ]


def attention_rises(directory: RunDirectory) -> list[Condition]:
    rows = _transfer(directory, measure="sim_am", arm="rise")
    return [above("rise, mean over layers", estimate(rows, Transfer.VALUE), RISE)]


CLAIMS = (
    Claim(
        "Fine-tuning on the examples helps, and learning in context helps more.",
        SOURCE,
        "accuracy: zero-shot < fine-tuned for one epoch < in context",
        in_between,
    ),
    Claim(
        "In-context learning gets right most of what fine-tuning gets right.",
        SOURCE,
        f"Rec2FTP > {MOST} after one epoch (DAI: .86 and .89)",
        recovers,
    ),
    Claim(
        "It does so more often than in-context learning is right anyway.",
        "this lab",
        "Rec2FTP above P(in context right | zero-shot wrong) of the same episodes, and above Rec2FTP with fine-tuning "
        "on another episode's examples",
        lifts,
    ),
    Claim(
        "In-context learning and fine-tuning move attention's output the same way.",
        SOURCE,
        "SimAOU after one epoch above that with another episode's examples, in every layer",
        aligned("sim_aou"),
    ),
    Claim(
        "They do once the update that all queries share is taken off.",
        "this lab",
        "centred SimAOU after one epoch above that with another episode's examples, in every layer",
        aligned("sim_aou_centred"),
    ),
    Claim(
        "An untrained model shows none of it.",
        "this lab",
        f"centred SimAOU differs by less than {NONE} from that with another episode's examples, in every layer",
        nothing_untrained,
    ),
    Claim(
        "In-context learning attends as the fine-tuned model does, and less as the zero-shot model does.",
        SOURCE,
        f"SimAM with the fine-tuned model above that with the zero-shot model by more than {RISE}, in the mean over "
        "layers (DAI: .44 against .34)",
        attention_rises,
    ),
)
