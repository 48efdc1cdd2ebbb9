"""The results of a comparison of learners: their losses, and the trained Transformer's alignment with each."""

from analysis.figures.words import learner_label
from analysis.report.blocks import Block, Number, Table

METRICS = {
    "prediction_l2": "prediction\ndifference, L2",
    "sensitivity_cosine": "cosine",
    "sensitivity_l2": "sensitivity\ndifference, L2",
    "loss_difference": "loss\ndifference",
}


def of_run(summary: dict) -> list[Block]:
    blocks = [_learners(summary), _alignment(summary)]
    if oracle := summary["oracle"]:
        excess = oracle["excess_of_transformer"]
        blocks.append(
            f"The best single step of gradient descent, in theory, has eta {oracle['eta']:.4f} and the loss "
            f"{oracle['loss']:.5f}. The trained Transformer's loss exceeds that of this step, on the same episodes, by "
            f"{Number(excess['mean'], excess['stderr']).text(5)}."
        )
    if (rate := summary["steps_per_second"]) is not None:
        blocks.append(f"Training steps per second: {rate:.0f}.")
    if together := summary.get("together"):
        blocks.append(f"{together['models']} models were trained together, in one program.")
    return blocks


def of_points(summary: dict) -> list[Block]:
    """The trained Transformer at each point, compared with the reference and with GD++."""
    points = summary["points"]
    references = dict.fromkeys(learner_label(point["reference"]) for point in points.values())
    rows = []
    for name, point in points.items():
        loss, alignment = point["learners"]["transformer"]["loss"], point["alignment"]
        reference, other = alignment[point["reference"]], alignment.get("gd_plus_plus")
        rows.append(
            (
                name,
                Number(loss["mean"], loss["stderr"], loss.get("spread")),
                _metric(reference, "loss_difference"),
                _metric(other, "loss_difference", brief=True) if other else "",
                _metric(reference, "sensitivity_cosine", brief=True),
                _metric(reference, "prediction_l2", brief=True),
            )
        )
    caption = (
        f"The trained Transformer at each point, compared with {' or '.join(references)} and with GD++ "
        "(mean ± standard error; differences of losses are paired)"
    )
    heads = ("point", "loss", METRICS["loss_difference"], "from GD++", *list(METRICS.values())[1::-1])
    return [Table(caption, heads, rows)]


def _learners(summary: dict) -> Table:
    learners = summary["learners"]
    seeds = any("spread" in learner["loss"] for learner in learners.values())
    rows = []
    for name, learner in learners.items():
        loss = learner["loss"]
        row = (learner_label(name), Number(loss["mean"], loss["stderr"]))
        row += (Number(learner["eta"], learner.get("eta_stderr")) if "eta" in learner else "",)
        rows.append(row + ((Number(loss["spread"]) if "spread" in loss else "",) if seeds else ()))
    heads = ("learner", "loss", "eta", *(["spread over seeds"] if seeds else []))
    return Table("Loss on the validation episodes (mean ± standard error)", heads, rows, digits=5)


def _alignment(summary: dict) -> Table:
    rows = [
        (learner_label(name), *(_metric(alignment, metric) for metric in METRICS))
        for name, alignment in summary["alignment"].items()
    ]
    caption = "The trained Transformer compared with each learner, on the same episodes (mean ± standard error)"
    return Table(caption, ("learner", *METRICS.values()), rows)


def _metric(alignment: dict, metric: str, brief: bool = False) -> Number:
    return Number(alignment[metric], alignment["stderr"][metric], alignment.get("spread", {}).get(metric), brief)
