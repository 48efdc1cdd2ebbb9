"""What the claims on fine-tuned decoders are judged by, and their figure."""

import itertools

import numpy as np
import pytest

from analysis.figures import style
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured, Row
from experiments.clicks.dti.figures import dti_finetuned
from experiments.clicks.dti.results import chosen
from experiments.clicks.dti.results.history import use_history
from tests.experiments.clicks.dti.made_up import verdicts


def finetuned_rows(best, helps=True):
    """Six seeds of `dti_finetuned` in a world in which every decoder is best after `best` steps.

    What the source and this lab expect is so (`helps`) or the reverse.
    """
    sign, rows = (1 if helps else -1), []
    aucs = {"sliding": 0.83, "split": 0.83 if helps else 0.82, "dti": 0.8295 if helps else 0.8, "naive": 0.81,
            "dti_mild": 0.83 if helps else 0.8,
            "untrained": 0.7}  # fmt: skip
    if not helps:
        aucs |= {"sliding": 0.805, "untrained": 0.82, "split": 0.79}
    for (part, auc), steps, seed in itertools.product(aucs.items(), (250.0, 500.0, 1000.0), range(6)):
        auc = auc - 0.01 * (steps != best) + 1e-4 * (seed % 3)
        place = {"part": part, "train.steps": steps, "seed": float(seed), "targets": 50.0}
        losses = {"log_loss": 1 - auc, "f1": auc**2, "gap.auc": sign * 0.01 + 1e-5 * seed}
        for answers in ("sliding", "streaming", "others"):
            rows.append(Row(place | {"answers": answers, "auc": auc} | losses))
    return rows


@pytest.mark.parametrize("helps", [True, False])
def test_verdicts_on_fine_tuned_decoders_follow_the_numbers(helps):
    assert verdicts(dti_finetuned.CLAIMS, finetuned_rows(500.0, helps)) == [helps] * len(dti_finetuned.CLAIMS)


@pytest.mark.parametrize(("best", "enough"), [(250.0, True), (500.0, True), (1000.0, False)])
def test_no_verdict_where_the_largest_number_of_steps_was_best(best, enough):
    """More steps could then help."""
    (_, control) = chosen.controls_of_finetuned("naive", "sliding")
    conditions = control.judge(Tables(clicks=finetuned_rows(best)))
    assert [condition.met for condition in conditions] == [enough] * 2


def test_the_control_of_tuned_decoders_looks_at_what_was_chosen():
    """After one of the numbers of steps DTI- has learned nothing, and it is not the chosen one."""
    rows = finetuned_rows(500.0)
    for row in [*rows]:
        if row["answers"] == "streaming":
            for name, auc in (("bayes_item", 0.6), ("bayes_window", 0.86)):
                rows.append(Row(row | {"answers": name, "auc": auc}))
            row["auc"] = row["auc"] if row["train.steps"] == 500.0 else 0.61
    (condition,) = chosen.use_history_when_tuned("naive").judge(Tables(clicks=rows))
    assert condition.met
    with pytest.raises(NotMeasured):
        use_history(0.5, "naive").judge(Tables(clicks=rows))  # of all steps at once: several rows of one seed


def test_each_seed_has_the_steps_that_are_best_on_its_own_other_users():
    """One seed needs more steps than the others. Numbers on the test users, which are the other way round, choose
    nothing."""
    rows = finetuned_rows(250.0)
    for row in rows:
        late = 0.05 * (row["seed"] == 4.0 and row["train.steps"] == 500.0)
        row["auc"] += late if row["answers"] == "others" else -late
    places = chosen.chosen(rows, "naive")
    assert {seed: dict(place)["train.steps"] for seed, place in places.items()} == dict.fromkeys(range(6), 250.0) | {
        4.0: 500.0
    }
    number = chosen.tuned(rows, "naive").by_seed
    assert [number[seed] for seed in range(6)] == pytest.approx([0.81, 0.8101, 0.8102, 0.81, 0.7501, 0.8102])
    with pytest.raises(NotMeasured):
        chosen.tuned([row for row in rows if row["answers"] != "others"], "naive")


@pytest.mark.parametrize("best", [250.0, 500.0])
def test_the_figure_of_tuned_decoders_has_every_number_of_steps_and_the_chosen_one(best):
    with style.paper():
        figure = dti_finetuned.draw(Tables(clicks=finetuned_rows(best)))
        (panel,) = figure.axes
        lengths = {np.size(line.get_xdata()) for line in panel.lines if line.get_marker() == "|"}
        assert lengths - {1} == {3}
        assert {each.get_text() for each in panel.texts} == {f"steps {best:g}: 6"}
    style.plt.close(figure)
