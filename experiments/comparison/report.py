"""The results of a comparison of learners: their losses, and the trained Transformer's alignment with each."""

from analysis.figures.words import learner_label
from analysis.report.blocks import Block, Label, Number, Table
from analysis.report.measured import number
from analysis.report.sentences import away, over_points, sentence
from lab.learners.roles import ROLES

METRICS = {  # of the trained Transformer beside another learner; a sensitivity is the gradient in the query
    "sensitivity_cosine": "cosine of\nsensitivities",
    "prediction_l2": "prediction\ndifference, L2",
    "sensitivity_l2": "sensitivity\ndifference, L2",
}
PAIRED = "loss\ndifference"  # of the trained Transformer's loss less another's, on the same episodes
SENSITIVITIES = "the predictions' sensitivities to the query"
IN_Z = {"sensitivity_cosine_z": "cosine of\nsensitivities,\nz-scored inputs"}  # for tables of data
COUNTS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
STEPS = {  # reference: the name of its steps
    "gradient_descent": "gradient descent",
    "learned_descent": "gradient descent on learned features",
}
ALIKE = "predict{s} as"


def of_run(summary: dict) -> list[Block]:
    """Return the losses of a run's learners and the trained Transformer's alignment with each, from its summary."""
    blocks: list[Block] = [_learners(summary), _alignment(summary)]
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
    """Return a table of the trained Transformer at each point, compared with the reference and with GD++."""
    points = summary["points"]
    references = dict.fromkeys(learner_label(point["reference"]) for point in points.values())
    rows = []
    for name, point in points.items():
        loss, alignment = point["learners"]["transformer"]["loss"], point["alignment"]
        reference, other = alignment[point["reference"]], alignment.get("gd_plus_plus")
        rows.append(
            (
                name,
                _metric(reference, "sensitivity_cosine", brief=True),
                _metric(reference, "loss_difference"),
                Number(loss["mean"], loss["stderr"]),
                _metric(other, "loss_difference", brief=True) if other else "",
                _metric(reference, "prediction_l2", brief=True),
            )
        )
    caption = (
        f"The trained Transformer at each point, compared with {' or '.join(references)} and with GD++ "
        "(mean ± standard error; differences of losses are paired; sensitivities are "
        "the gradients of predictions in the query)"
    )
    cosine, prediction, _ = METRICS.values()
    heads = ("point", cosine, PAIRED, "loss", "loss less\nthat of GD++", prediction)
    return [Table(caption, heads, rows)]


def answer_of_run(summary: dict) -> str:
    """Return one sentence: does the trained Transformer predict as its reference, and how much does its loss differ?"""
    layers, reference = int(summary["settings"].get("model.num_layers", 1)), summary["reference"]
    name = f"{reference}.loss_difference"
    if name not in summary["numbers"]:
        return ""
    if (loss := number(summary, name)) is None:
        return sentence("a loss is not a finite number: the training, or its reference, diverged", summary=summary)
    steps = _steps(summary, reference)
    oracle, compared = summary["oracle"], f"that of {steps}"
    if oracle and layers == 1:
        excess = oracle["excess_of_transformer"]
        flat = {"numbers": {"excess": excess["mean"], "excess.stderr": excess["stderr"]}}
        loss, compared = number(summary | flat, "excess") or loss, "that of the best possible step"
    many = f"{COUNTS.get(layers, layers)} step{'s' if layers > 1 else ''} of {steps}"
    who = f"{COUNTS.get(layers, str(layers)).capitalize()} trained layer{'s' if layers > 1 else ''}"
    if summary["settings"].get("model.layout") == "interleaved":
        who += " behind one that can merge tokens"
    s, does = ("", "do") if layers > 1 else ("s", "does")
    verb = _verb(summary, reference).format(s=s, does=does)
    cosine = number(summary, f"{reference}.sensitivity_cosine")
    direction = (
        f"cosine of {SENSITIVITIES} {cosine.text(4)}" if cosine else f"the cosine of {SENSITIVITIES} is not defined"
    )
    finding = f"{who} {verb} {many} {does}: {direction}, loss {away(loss, compared)}"
    return sentence(finding, summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return one sentence: the number of points at which it predicts as its reference, and the range of cosines."""
    points = summary["points"]
    alike = sum(_verb(point, point["reference"]) == ALIKE for point in points.values())
    measured = {name: number(point, f"{point['reference']}.sensitivity_cosine") for name, point in points.items()}
    cosines = {name: cosine for name, cosine in measured.items() if cosine is not None}
    references = " or ".join(dict.fromkeys(_steps(point, point["reference"]) for point in points.values()))
    finding = f"at {alike} of {len(points)} points the trained Transformer predicts as {references} does"
    if cosines:
        low, high = (bound(cosines, key=lambda name: cosines[name].mean) for bound in (min, max))
        ends = [f"{cosines[name].text(4)} ({name})" for name in dict.fromkeys((low, high))]
        finding += f": cosine of {SENSITIVITIES} {' to '.join(ends)}"
    losses = over_points(summary, "loss.transformer", "its loss", digits=4)
    return sentence(finding, losses, summary=summary)


def _steps(summary: dict, reference: str) -> str:
    """Return the name of the reference's steps, with the loss that they descend where that is not squared error."""
    own_loss = f" on {summary['loss_name']}" if "squared_descent" in summary["learners"] else ""
    return STEPS[reference] + own_loss


def _verb(summary: dict, reference: str) -> str:
    """Return the verb of the sentence: 'predict as' for a cosine of .99 and losses within 1%, 'nearly as' for .95."""
    aligned, loss = summary["alignment"][reference], summary["learners"][reference]["loss"]["mean"]
    cosine, difference = aligned["sensitivity_cosine"], aligned["loss_difference"]
    if cosine is None or cosine < 0.95:
        return "{does} not predict as"
    return ALIKE if cosine >= 0.99 and abs(difference) <= 0.01 * loss else "predict{s} nearly as"


def _learners(summary: dict) -> Table:
    rows = []
    for name, learner in summary["learners"].items():
        loss, compared = learner["loss"], summary["alignment"].get(name)
        eta = Number(learner["eta"], learner.get("eta_stderr")) if "eta" in learner else ""
        difference = _metric(compared, "loss_difference") if compared else ""
        rows.append((_label(name), difference, Number(loss["mean"], loss["stderr"]), eta))
    caption = (
        "Loss on the test episodes (mean ± standard error; the difference is the trained Transformer's loss less this, "
        "paired on the same episodes)"
    )
    return Table(caption, ("learner", PAIRED, "loss", "eta"), rows, digits=5)


def _label(name: str) -> Label | str:
    return Label(learner_label(name), ROLES[name].sentence) if name in ROLES else learner_label(name)


def _alignment(summary: dict) -> Table:
    compared = summary["alignment"]
    metrics = {
        metric: head for metric, head in (METRICS | IN_Z).items() if all(metric in each for each in compared.values())
    }
    rows = [(_label(name), *(_metric(each, metric) for metric in metrics)) for name, each in compared.items()]
    caption = (
        "The trained Transformer compared with each learner, on the same episodes (mean ± standard error; "
        "sensitivities are the gradients of predictions in the query)"
    )
    return Table(caption, ("learner", *metrics.values()), rows)


def _metric(alignment: dict, metric: str, brief: bool = False) -> Number:
    return Number(alignment[metric], alignment["stderr"][metric], brief)
