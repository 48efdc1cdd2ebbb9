"""What the claims on click models are judged by, and their figures, from tables that are made up."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from analysis.tables.select import NotMeasured, Row
from experiments.dti.drawing import chosen, tuned
from experiments.dti.drawing.controls import of_parts, use_history
from experiments.dti.drawing.parts import draw_parts
from experiments.dti.figures import (
    dti,
    dti_ablation,
    dti_converged,
    dti_fair,
    dti_far,
    dti_finetuned,
    dti_long,
    dti_recipe,
    dti_tuned,
    dti_worlds,
)
from tests.tables import Tables


def rows_of(auc_of, **axes):
    """Rows of clicks.csv: three seeds of every combination of axes; auc_of(...) is AUC, and a gap."""
    rows = []
    for place in itertools.product(*axes.values()):
        named = dict(zip(axes, place, strict=True))
        auc, gap = auc_of(**named)
        for seed, answers in itertools.product((0.0, 1.0, 2.0), ("sliding", "streaming")):
            noise = 1e-4 * seed
            row = named | {"seed": seed, "answers": answers, "auc": auc + noise, "log_loss": 1 - auc + noise, "f1": auc}
            rows.append(Row(row | {"gap.auc": gap * (1 + noise)}))
    return rows


def verdicts(figure, rows, words=""):
    claims = [claim for claim in figure.CLAIMS if words in claim.statement]
    return [claim.evaluate(Tables(clicks=rows), {}, ())["holds"] for claim in _uncontrolled(claims)]


def _uncontrolled(claims):
    return [dataclasses.replace(claim, controls=()) for claim in claims]


@pytest.mark.parametrize("is_worse", [True, False])
def test_verdicts_on_dti_follow_the_numbers(is_worse):
    sign = -1 if is_worse else 1

    def auc_of(part, targets):
        return 0.8 + sign * 0.01 * np.log(targets), 0.002 * -sign * np.log(targets)

    rows = rows_of(auc_of, part=["sliding"], targets=[1.0]) + rows_of(
        auc_of, part=["naive", "dti"], targets=[5.0, 50.0]
    )
    for row in rows:
        row["f1"] = row["f1"] ** 2  # falls by twice the share that AUC falls by
    good = not is_worse
    assert verdicts(dti, rows) == [is_worse, is_worse, is_worse, good, good, good]


def test_one_number_of_targets_has_no_slope():
    rows = rows_of(lambda part, targets: (0.8, 0.01), part=["naive"], targets=[50.0])
    assert verdicts(dti, rows, "mismatch") == [None]


def test_log_loss_and_f1_that_get_better_do_not_fall_more_sharply():
    rows = rows_of(lambda part, targets: (0.8 if part == "sliding" else 0.84, 0.0), part=["sliding"], targets=[1.0])
    rows += rows_of(lambda part, targets: (0.84, 0.0), part=["naive"], targets=[50.0])
    for row in rows:
        row["log_loss"] = (0.5 if row["part"] == "sliding" else 0.49) + 1e-4 * row["seed"]
        row["f1"] = (0.7 if row["part"] == "sliding" else 0.72) + 1e-4 * row["seed"]
    assert verdicts(dti, rows, "sharply") == [False]


def test_log_loss_and_f1_that_fall_as_auc_does_are_not_sharper():
    def auc_of(part, targets):
        return (0.8, 0.0) if part == "sliding" else (0.76, 0.0)

    rows = rows_of(auc_of, part=["sliding"], targets=[1.0]) + rows_of(auc_of, part=["naive"], targets=[50.0])
    for row in rows:
        row["log_loss"] = 0.4 if row["part"] == "sliding" else 0.41
        row["f1"] -= 0.01 * row["seed"]
    assert verdicts(dti, rows, "sharply") == [False]


GOOD = {"sliding": (0.8, 0.0), "naive": (0.7, 0.03), "no_id": (0.71, 0.02), "reset": (0.72, 0.025),
        "alibi": (0.75, 0.01), "local": (0.8, 0.0), "split": (0.81, 0.0), "own": (0.7995, 0.001)}  # fmt: skip
BAD = GOOD | {"no_id": (0.7, 0.04), "reset": (0.65, 0.005), "alibi": (0.6, 0.01), "local": (0.7, 0.0),
              "split": (0.7, 0.0), "own": (0.7, 0.05)}  # fmt: skip


@pytest.mark.parametrize("helps", [True, False])
def test_verdicts_on_remedies_follow_the_numbers(helps):
    rows = rows_of(lambda part, positions: (GOOD if helps else BAD)[part], part=[*GOOD], positions=["rope", "learned"])
    best = 0.69 if helps else 0.71  # of what sees a window alone; DTI- has .7
    rows += [Row(row | {"answers": "bayes_window", "auc": best}) for row in rows if row["answers"] == "sliding"]
    assert verdicts(dti_ablation, rows) == [helps] * 18


def test_positions_do_not_matter_more_because_a_reset_does_harm():
    """AUC is higher without the reset, which however closes more of the gap."""
    values = GOOD | {"reset": (0.6, 0.005)}
    rows = rows_of(lambda part, positions: values[part], part=[*values], positions=["rope", "learned"])
    assert verdicts(dti_ablation, rows, "Positions matter more") == [False, False]


def tables_of(share, later, part="naive"):
    """Three seeds of one part, AUC at this share of what a window tells beyond the item (.6 to .8), and losses that
    fall from .7 to .5, by this share of it in the second half of the training."""
    place = {"part": part, "targets": 50.0}
    aucs = {"sliding": 0.6, "streaming": 0.6 + 0.2 * share, "bayes_item": 0.6, "bayes_window": 0.8}
    losses = {0.0: 0.7, 50.0: 0.5 + 0.2 * later, 100.0: 0.5}
    seeds = (0.0, 1.0, 2.0)
    return Tables(
        clicks=[
            Row(place | {"seed": seed, "answers": name, "auc": auc + 1e-4 * seed})
            for seed in seeds
            for name, auc in aucs.items()
        ],
        curves=[
            Row(place | {"step": step, "seed": seed, "loss.streaming": loss + 1e-4 * seed, "loss.sliding": 0.7})
            for step, loss in losses.items()
            for seed in seeds
        ],
    )


@pytest.mark.parametrize(
    ("share", "later", "outcome"),
    [
        (0.9, 0.01, Outcome.HOLDS),
        (0.0, 0.01, Outcome.NOT_REACHED),  # on the plateau: the answer from the item alone
        (0.4, 0.01, Outcome.NOT_REACHED),
        (0.9, 0.3, Outcome.NOT_REACHED),  # half of the steps would have been too few
    ],
)
def test_no_verdict_on_models_that_have_not_learned(share, later, outcome):
    claim = Claim("It is so.", own(), "", lambda _: [above("number", exact(1.0))], controls=of_parts("naive"))
    assert claim.evaluate(tables_of(share, later), {})["outcome"] == outcome


def test_every_claim_on_trained_models_has_controls():
    for figure in (
        dti,
        dti_ablation,
        dti_worlds,
        dti_far,
        dti_converged,
        dti_long,
        dti_finetuned,
        dti_recipe,
        dti_tuned,
    ):
        uncontrolled = {claim.statement for claim in figure.CLAIMS if not claim.controls}
        assert uncontrolled <= {"With Muon no click model stays on the plateau of the item alone."}
    (used, _) = of_parts("sliding")
    assert not used.judge(tables_of(0.9, 0.0, part="sliding"))[0].met, "sliding windows are its prompts in training"


@pytest.mark.parametrize("holds", [True, False])
def test_verdicts_on_worlds_follow_the_numbers(holds):
    def auc_of(part):
        gap = 0.01 if part == ("lasting_naive" if holds else "changing_naive") else 0.004
        return (0.7 if part == ("ordered_local" if holds else "ordered_split") else 0.8), gap

    parts = [f"{world}_{scheme}" for world, (_, schemes) in dti_worlds.WORLDS.items() for scheme in schemes]
    rows = rows_of(auc_of, part=parts)
    assert verdicts(dti_worlds, rows) == [holds, holds, holds]
    rows += [Row(row | {"answers": answers}) for row in rows for answers in ("bayes_window", "bayes_all")]
    with style.paper():
        figure = dti_worlds.draw(Tables(clicks=rows))
    assert [len(panel.get_yticks()) for panel in figure.axes] == [1, 1, 3]
    style.plt.close(figure)


def test_a_decoder_of_sliding_windows_has_no_other_prompts_as_in_training():
    rows = rows_of(lambda part: (0.8, 0.0), part=["sliding", "naive"])
    with style.paper():
        figure, axes = style.panels(1, 1, width=6, height=3)
        draw_parts(axes[0, 0], rows, ["sliding", "naive"], ["sliding", "naive"])
        shown = {each.get_label(): len(each[0].get_xdata()) for each in axes[0, 0].containers}
    assert shown == {"prompts as in training": 1, "sliding windows": 2}
    style.plt.close(figure)


SPENT = {"naive": 10.0, "split": 10.0, "own": 12.0, "dti": 12.0, "sliding": 70.0, "short_sliding": 70.0,
         "alibi": 10.0, "reset": 12.0, "no_id": 10.0, "naive_10": 16.0, "deep_split": 13.0, "shallow_naive": 7.0,
         "shallow_split": 7.0}  # fmt: skip


def converged(better, short_steps=800.0):
    """Tables of `dti_converged` and `dti_long`, three seeds: what the lab expects is so (`better`) or the reverse."""
    sign = 1 if better else -1
    aucs = {"naive": (0.84, 0.01 * sign), "dti": (0.85, 0.0), "split": (0.852, 0.0), "own": (0.8505, 0.0),
            "sliding": (0.851 if better else 0.8, 0.0), "short_sliding": (0.85 - 0.02 * sign, 0.0),
            "alibi": (0.84 + 0.006 * sign, 0.002), "reset": (0.84 + 0.002 * sign, 0.002 + 0.004 * sign),
            "no_id": (0.84, 0.006 * sign), "naive_10": (0.845 if better else 0.82, 0.005 * sign),
            "deep_split": (0.86 if better else 0.7, 0.0), "shallow_naive": (0.8, 0.0),
            "shallow_split": (0.8 - 0.1 * sign, 0.0)}  # fmt: skip
    if not better:
        aucs |= {"dti": (0.79, 0.0), "split": (0.79, 0.0), "own": (0.79, 0.0)}
    rows = rows_of(lambda part: aucs[part], part=[*aucs])
    for row in rows:
        row["targets"] = {"sliding": 1.0, "naive_10": 10.0}.get(row["part"], 50.0)
        row["f1"] = row["f1"] ** 2  # falls by twice the share that AUC falls by
    for part, (auc, gap) in aucs.items():
        for seed in (0.0, 1.0, 2.0):
            place = {"part": part, "seed": seed, "log_loss": 0.5, "f1": 0.7, "gap.auc": 0.0}
            place["targets"] = {"sliding": 1.0, "naive_10": 10.0}.get(part, 50.0)
            rows.append(Row(place | {"answers": "bayes_window", "auc": 0.845 + 1e-4 * seed}))
            (streaming,) = [r for r in rows if r["part"] == part and r["seed"] == seed and r["answers"] == "streaming"]
            streaming["auc"] = auc + gap + 1e-4 * seed
    spent = [
        Row({"part": part, "targets": 50.0, "models": 3.0, "milliseconds": each, "targets_per_step": 500.0,
             "device": "a processor", "steps": short_steps if part == "short_sliding" else 5000.0})
        for part, each in SPENT.items()
    ]  # fmt: skip
    curves = [
        Row({"part": part, "seed": seed, "step": step, "auc.sliding": 0.84 - 0.1 / step, "auc.bayes_window": 0.85})
        for part in aucs
        for seed in (0.0, 1.0)
        for step in (100.0, 1000.0, 5000.0)
    ]
    return Tables(clicks=rows, spent=spent, curves=curves)


@pytest.mark.parametrize("better", [True, False])
def test_verdicts_on_converged_models_follow_the_numbers(better):
    claims = _uncontrolled(dti_long.CLAIMS + dti_converged.CLAIMS)
    holds = [claim.evaluate(converged(better), {}, ())["holds"] for claim in claims]
    assert holds == [better] * 17
    holds = [claim.evaluate(converged(better), {}, ())["holds"] for claim in _uncontrolled(dti_far.CLAIMS)]
    assert holds == [better] * 9


def test_a_wording_leaves_names_as_they_are():
    statements = [claim.statement for claim in dti_long.CLAIMS]
    assert "Trained until it has converged, DTI- is below the sliding window." in statements
    assert "Trained until it has converged, the split window is as good as the sliding window." in statements
    assert any(", DTI's remedies make" in claim.statement for claim in dti_tuned.CLAIMS)


def test_less_time_is_not_equal_time():
    """A sliding window that had less time of the processor than the split window says nothing."""
    (claim,) = [each for each in _uncontrolled(dti_converged.CLAIMS) if "equal time" in each.statement]
    assert claim.evaluate(converged(True, short_steps=400.0), {}, ())["holds"] is False


def test_times_on_two_devices_are_not_compared():
    (claim,) = [each for each in _uncontrolled(dti_converged.CLAIMS) if "equal time" in each.statement]
    tables = converged(True)
    tables.tables["spent"][0]["device"] = "another"  # of a part that the claim is not about
    assert claim.evaluate(tables, {}, ())["holds"] is True
    for row in tables.tables["spent"]:
        row["device"] = str(row["part"])
    assert claim.evaluate(tables, {}, ())["outcome"] == "not measured"


def test_curves_are_drawn_by_targets_and_by_time():
    with style.paper():
        figure = dti_converged.draw(converged(True))
        seen, time, _ = figure.axes
        (line,) = [each for each in time.lines if each.get_label() == "DTI-"]
        np.testing.assert_allclose(np.asarray(line.get_xdata(), float), [1.0, 10.0, 50.0])  # 10 ms a step
        np.testing.assert_allclose(np.asarray(line.get_ydata(), float), [0.011, 0.0101, 0.01002])
        (line,) = [each for each in seen.lines if each.get_label() == "sliding window"]
        np.testing.assert_allclose(np.asarray(line.get_xdata(), float), [5e4, 5e5, 2.5e6])
        style.plt.close(figure)
        figure = dti_long.draw(converged(True))
        (line,) = [each for each in figure.axes[0].lines if each.get_label() == "sliding window"]
        np.testing.assert_allclose(np.asarray(line.get_xdata(), float), [5e4, 5e5, 2.5e6])
    style.plt.close(figure)


def fair_rows(best):
    """Two seeds of `dti_fair` in a world in which DTI is best at this weight of a reset, in every layer."""
    rows = []
    points = [("dti", *each) for each in itertools.product((0.3, 1.0), (0.0, 1.0), (1.0, 4.0))]
    points += [("alibi", "", math.nan, slope) for slope in (1.0, 4.0)] + [
        (part, "", "", "") for part in ("naive", "sliding")
    ]
    for (part, ymax, early, slope), rate, seed in itertools.product(points, (0.002, 0.004), range(2)):
        auc = {"sliding": 0.85, "naive": 0.84, "alibi": 0.83}.get(part, 0.82)
        if part == "dti" and (ymax, early) == (best, 1.0):
            auc = 0.845
        auc += 0.003 * (slope == 4.0) - 0.002 * (rate == 0.002) + 1e-4 * seed
        place = {"part": part, "model.ymax": ymax, "model.early": early, "model.slope": slope}
        place |= {"train.learning_rate": rate, "seed": float(seed), "targets": 50.0}
        lucky = 0.01 * (ymax != best)  # on the test users, who choose nothing
        rows += [
            Row(place | {"answers": answers, "auc": auc + (lucky if answers == "sliding" else 0.0)})
            for answers in ("sliding", "streaming", "others")
        ]
    return rows


@pytest.mark.parametrize("best", [0.3, 1.0])
def test_settings_are_chosen_on_other_users(best):
    rows = fair_rows(best)
    part, place, number = chosen.best(rows, "dti", "alibi")
    assert part == "dti"
    assert dict(place) == {"model.ymax": best, "model.early": 1.0, "model.slope": 4.0, "train.learning_rate": 0.004}
    assert number.mean == pytest.approx(0.848 + 0.5e-4)
    _, place, _ = chosen.best(rows, "dti", **{"model.ymax": 0.3, "model.early": 0.0})
    assert dict(place) == {"model.ymax": 0.3, "model.early": 0.0, "model.slope": 4.0, "train.learning_rate": 0.004}
    _, place, _ = chosen.best(rows, "alibi")
    assert dict(place) == {"model.slope": 4.0, "train.learning_rate": 0.004}, "and no weight, which it has not"
    with pytest.raises(NotMeasured):
        chosen.best(rows, "split")


def test_the_figure_of_chosen_settings_has_every_one_and_the_best():
    with style.paper():
        figure = dti_fair.draw(Tables(clicks=fair_rows(0.3)))
        parts, weights = figure.axes
        lengths = [np.size(line.get_xdata()) for line in parts.lines if line.get_marker() == "|"]
        assert sorted(lengths) == [2, 2, 4, 16], "two rates; with two slopes; with two weights and in which layers"
        assert "ymax 0.3" in " ".join(each.get_text() for each in parts.texts)
        lines = {line.get_label(): np.asarray(line.get_ydata(), float) for line in weights.lines}
        assert len(lines) == 4
        np.testing.assert_allclose(lines["slope 4, every layer"], [0.84805, 0.82305])  # with the better rate
        np.testing.assert_allclose(lines["slope 1, last layer"], [0.82005, 0.82005])
    style.plt.close(figure)


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
    assert verdicts(dti_finetuned, finetuned_rows(500.0, helps)) == [helps] * len(dti_finetuned.CLAIMS)


def tuned_rows(helps):
    """Three seeds of `dti_tuned`: what the source and this lab expect is so (`helps`) or the reverse."""
    aucs = {"sliding": (0.83, 0.0), "naive": (0.81, 0.01), "split": (0.83, 0.0), "dti": (0.829, 0.002),
            "whole": (0.81, 0.002)}  # fmt: skip
    if not helps:
        aucs |= {"naive": (0.835, -0.01), "dti": (0.8, 0.002), "split": (0.8, 0.0)}
    longer = {f"longer_{part}": numbers for part, numbers in aucs.items()}
    return rows_of(lambda part: (aucs | longer)[part], part=[*aucs, *longer])


@pytest.mark.parametrize("helps", [True, False])
def test_verdicts_with_chosen_settings_follow_the_numbers(helps):
    rows = tuned_rows(helps)
    assert verdicts(dti_tuned, rows) == [helps] * len(dti_tuned.CLAIMS)


@pytest.mark.parametrize(("rise", "enough"), [(-0.01, True), (0.0005, True), (0.005, False)])
def test_no_verdict_where_twice_the_steps_are_better(rise, enough):
    rows = tuned_rows(True)
    for row in rows:
        row["auc"] += rise * (row["part"] == "longer_dti")
    (condition,) = dti_tuned.no_better_longer("dti").judge(Tables(clicks=rows))
    assert condition.met == enough


@pytest.mark.parametrize(("stay", "expected"), [((), [True, True]), ((4,), [None, False]), (range(6), [False, False])])
def test_verdicts_on_optimisers_follow_the_numbers(stay, expected):
    """With their controls. One seed that stays on the plateau refutes one claim, and leaves open which is better."""
    rows = []
    for part, seed in itertools.product(("adamw", "muon"), range(6)):
        auc = (0.65 if seed in stay else 0.83) if part == "muon" else 0.82
        place = {"part": part, "seed": float(seed), "targets": 50.0}
        aucs = {"sliding": auc + 1e-4 * seed, "streaming": auc, "bayes_item": 0.64, "bayes_window": 0.86}
        rows += [Row(place | {"answers": answers, "auc": value}) for answers, value in aucs.items()]
    assert [claim.evaluate(Tables(clicks=rows), {}, ())["holds"] for claim in dti_recipe.CLAIMS] == expected


@pytest.mark.parametrize(("best", "enough"), [(250.0, True), (500.0, True), (1000.0, False)])
def test_no_verdict_where_the_largest_number_of_steps_was_best(best, enough):
    """More steps could then help."""
    (_, control) = dti_finetuned.controls_here("naive", "sliding")
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
    (condition,) = tuned.use_history_when_tuned("naive").judge(Tables(clicks=rows))
    assert condition.met
    with pytest.raises(NotMeasured):
        use_history(0.5, "naive").judge(Tables(clicks=rows))  # of all steps at once: several rows of one seed


@pytest.mark.parametrize("best", [250.0, 500.0])
def test_the_figure_of_tuned_decoders_has_every_number_of_steps_and_the_chosen_one(best):
    with style.paper():
        figure = dti_finetuned.draw(Tables(clicks=finetuned_rows(best)))
        (panel,) = figure.axes
        lengths = {np.size(line.get_xdata()) for line in panel.lines if line.get_marker() == "|"}
        assert lengths - {1} == {3}
        assert {each.get_text() for each in panel.texts} == {f"steps {best:g}"}
    style.plt.close(figure)
