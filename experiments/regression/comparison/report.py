"""The results of a comparison of learners: their losses, and the trained Transformer's alignment with each."""

from analysis.figures.words import learner_label
from analysis.report.blocks import Block, Cell, Label, Number, Table
from analysis.report.sentences import joined, over_points, places, sentence
from analysis.report.values import number
from experiments.regression.comparison import alike
from lab.learners.roles import ROLES

METRICS = {  # of the trained Transformer beside another learner; a sensitivity is the gradient in the query
    "sensitivity_cosine": "cosine of\nsensitivities",
    "prediction_l2": "prediction\ndifference, L2",
    "sensitivity_l2": "sensitivity\ndifference, L2",
}
PAIRED = "loss\ndifference"  # of the trained Transformer's loss less another's, on the same episodes
SENSITIVITIES = "the predictions' sensitivities to the query"
IN_Z = {"sensitivity_cosine_z": "cosine of\nsensitivities,\nz-scored inputs"}  # for tables of data
SHUFFLED = Label("the same with shuffled labels", "shown each example of its context with the target of another")
COUNTS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
STEPS = {  # reference: the name of its steps
    "gradient_descent": "gradient descent",
    "learned_descent": "gradient descent on learned features",
}


def of_run(summary: dict) -> list[Block]:
    """Return the losses of a run's learners and the trained Transformer's alignment with each, from its summary."""
    blocks: list[Block] = [_learners(summary), _alignment("The trained Transformer", summary["alignment"])]
    for name, others in summary.get("own_alignment", {}).items():
        blocks.append(_alignment(f"{learner_label(name)}, a learner of your own,", others, name))
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
        reference = point["reference"]
        rows.append(_point(name, point["learners"]["transformer"]["loss"], point["alignment"], reference))
        for own, alignment in point.get("own_alignment", {}).items():
            rows.append(_point(f"{name}: {learner_label(own)}", point["learners"][own]["loss"], alignment, reference))
    others = " and learners of your own" if len(rows) > len(points) else ""
    caption = (
        f"The trained Transformer{others} at each point, compared with {' or '.join(references)} and with GD++ "
        "(mean ± standard error; differences of losses are paired; sensitivities are "
        "the gradients of predictions in the query)"
    )
    cosine, prediction, _ = METRICS.values()
    heads = ("point", cosine, PAIRED, "loss", "loss less\nthat of GD++", prediction)
    return [Table(caption, heads, rows)]


def _point(name: str, loss: dict, alignment: dict, reference: str) -> tuple[Cell, ...]:
    """Return the row of a learner at a point."""
    compared_with, other = alignment[reference], alignment.get("gd_plus_plus")
    return (
        name,
        _metric(compared_with, "sensitivity_cosine", brief=True),
        _metric(compared_with, "loss_difference"),
        Number(loss["mean"], loss["stderr"]),
        _metric(other, "loss_difference", brief=True) if other else "",
        _metric(compared_with, "prediction_l2", brief=True),
    )


def answer_of_run(summary: dict) -> str:
    """Return a sentence: does the trained Transformer predict as its reference, by which numbers, and do the learners
    of the user's own?"""
    layers, reference = int(summary["settings"].get("model.num_layers", 1)), summary["reference"]
    name = f"{reference}.loss_difference"
    if name not in summary["numbers"]:
        return ""
    if number(summary, name) is None:
        return sentence("a loss is not a finite number: the training, or its reference, diverged", summary=summary)
    steps, loss, oracle = _steps(summary, reference), None, summary["oracle"]
    compared = f"that of {steps}"
    if oracle and layers == 1:
        excess = oracle["excess_of_transformer"]
        flat = {"numbers": {"excess": excess["mean"], "excess.stderr": excess["stderr"]}}
        if loss := number(summary | flat, "excess"):
            compared = "that of the best possible step"
    many = f"{COUNTS.get(layers, layers)} step{'s' if layers > 1 else ''} of {steps}"
    who = f"{COUNTS.get(layers, str(layers)).capitalize()} trained layer{'s' if layers > 1 else ''}"
    if summary["settings"].get("model.layout") == "interleaved":
        who += " behind one that can merge tokens"
    s, does = ("", "do") if layers > 1 else ("s", "does")
    compared_with = alike.Compared.of(summary, reference)
    finding = f"{who} {compared_with.verb.format(s=s, does=does)} {many} {does}: {compared_with.words(compared, loss)}"
    return sentence(finding, *(_own(summary, each, many) for each in own_names(summary)), summary=summary)


def answer_of_points(summary: dict) -> str:
    """Return one sentence: the points at which it predicts as its reference, nearly so or not clearly, the range of
    cosines, and the same points of the learners of the user's own."""
    points = summary["points"]
    measured = {name: number(point, f"{point['reference']}.sensitivity_cosine") for name, point in points.items()}
    cosines = {name: cosine for name, cosine in measured.items() if cosine is not None}
    references = " or ".join(dict.fromkeys(_steps(point, point["reference"]) for point in points.values()))
    finding = f"the trained Transformer predicts as {references} does at {_points(points, alike.SUBJECT)}"
    if cosines:
        low, high = (bound(cosines, key=lambda name: cosines[name].mean) for bound in (min, max))
        ends = [f"{cosines[name].text(4)} ({name})" for name in dict.fromkeys((low, high))]
        finding += f": cosine of {SENSITIVITIES} {' to '.join(ends)}"
    own = dict.fromkeys(name for point in points.values() for name in own_names(point))
    others = [f"{learner_label(name)} predicts so at {_points(points, name)}" for name in own]
    return sentence(finding, *others, over_points(summary, "loss.transformer", "its loss", digits=4), summary=summary)


def own_names(summary: dict) -> list[str]:
    """Return the learners of the user's own that a run has compared with the others; none for runs of before."""
    return [*summary.get("own_alignment", {})]


def _own(summary: dict, name: str, many: str) -> str:
    """Return the clause on a learner of the user's own, beside the reference of the Transformer."""
    compared_with = alike.Compared.of(summary, summary["reference"], name)
    verb = compared_with.verb.format(s="s", does="does")
    return f"{learner_label(name)} {verb} {many}: {compared_with.words('that')}"


def _points(points: dict, learner: str) -> str:
    """Return the points at which a learner predicts as the reference, and behind them those of weaker verbs."""
    verbs = {
        name: alike.Compared.of(point, point["reference"], learner).verb
        for name, point in points.items()
        if learner == alike.SUBJECT or learner in own_names(point)
    }
    chosen = {verb: [name for name, each in verbs.items() if each == verb] for verb in (*alike.BOUNDS, alike.UNCLEAR)}
    weaker = {"nearly so": chosen[alike.NEARLY], "not clearly": chosen[alike.UNCLEAR]}
    clauses = [f"{how} at {places(names, [*verbs])}" for how, names in weaker.items() if names]
    return joined([places(chosen[alike.AS], [*verbs]), *clauses])


def _steps(summary: dict, reference: str) -> str:
    """Return the name of the reference's steps, with the loss that they descend where that is not squared error."""
    own_loss = f" on {summary['loss_name']}" if "squared_descent" in summary["learners"] else ""
    return STEPS[reference] + own_loss


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


def _alignment(who: str, compared: dict[str, dict], own: str = "") -> Table:
    """Return the table of a learner beside each other one.

    Args:
        who: it is, for the caption.
        compared: {other: means of metrics}.
        own: its name, if it is the user's own: its losses are compared here, too, and its control is its own.
    """
    shown_metrics = ({"loss_difference": PAIRED} if own else {}) | METRICS | IN_Z
    metrics = {
        metric: head for metric, head in shown_metrics.items() if all(metric in each for each in compared.values())
    }
    labels = {name: _label(name) for name in compared} | ({"shuffled": SHUFFLED} if own else {})
    rows = [(labels[name], *(_metric(each, metric) for metric in metrics)) for name, each in compared.items()]
    caption = (
        f"{who} compared with each learner, on the same episodes (mean ± standard error; "
        "sensitivities are the gradients of predictions in the query)"
    )
    return Table(caption, ("learner", *metrics.values()), rows)


def _metric(alignment: dict, metric: str, brief: bool = False) -> Number:
    return Number(alignment[metric], alignment["stderr"][metric], brief)
