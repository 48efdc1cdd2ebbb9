"""`dti` on a tiny budget: from the command to tables, figure and kept decoder; and what its claims are judged by."""

import dataclasses
import itertools

import jax
import numpy as np
import pytest

from sklearn.metrics import roc_auc_score

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from analysis.tables.select import Row
from experiments.dti import evaluation
from experiments.dti import run as experiment
from experiments.dti.drawing.controls import of_parts
from experiments.dti.drawing.parts import draw_parts
from experiments.dti.figures import dti, dti_ablation, dti_worlds
from experiments.dti.settings import Dti
from lab.config.compose import compose_run, register
from lab.errors import ConfigError
from lab.learners.stream_shape import block_of
from lab.runs.directory import RunDirectory
from tests.run_files import summary_of, table
from tests.tables import Tables
from tests.tiny_runs import tiny_run, words_of
from trainers import keep

register()
WORDS = words_of("dti")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_run(tmp_path_factory, "dti").directory


def test_a_run_leaves_its_tables(folder):
    summary = summary_of(folder)
    assert summary["together"] == {"models": 2, "runs": 1}
    rows = table(folder, "clicks")
    answers = {"sliding", "streaming", "bayes_item", "bayes_window", "bayes_all", "others"}
    assert {(row["seed"], row["answers"]) for row in rows} == set(itertools.product("01", answers))
    sliding, streaming = ([row for row in rows if row["answers"] == name] for name in ("sliding", "streaming"))
    for one, many in zip(sliding, streaming, strict=True):
        assert float(many["gap.auc"]) == pytest.approx(float(many["auc"]) - float(one["auc"]))
    curves = table(folder, "curves")
    assert len(curves) == 2 * 3
    assert float(curves[0]["loss.sliding"]) > 0
    (spent,) = table(folder, "spent")
    assert (spent["models"], spent["steps"]) == ("2", "4")
    assert float(spent["milliseconds"]) > 0


def test_curves_have_the_auc_of_the_first_block_of_test_users(folder):
    """At the end that of the kept decoder on these users; the Bayes-optimal one is the same along the training."""
    settings = compose_run([word for word in WORDS if word != "run.dir"])
    curves = [row for row in table(folder, "curves") if row["seed"] == "1"]
    assert len({row["auc.bayes_window"] for row in curves}) == 1
    like = experiment.learners(settings)[evaluation.DECODER]
    decoder = keep.read(RunDirectory(folder), evaluation.DECODER, like, 1)
    member = jax.tree.map(lambda leaf: leaf[1], experiment.session_of([settings]).members)
    episodes = member.task.sample(jax.random.fold_in(jax.random.fold_in(member.validation, 0), 0), 6)
    for name, learner in (evaluation.test_forms(decoder, settings) | evaluation.optimal(member.task)).items():
        if f"auc.{name}" in curves[-1]:
            answers = jax.jit(jax.vmap(learner))(episodes.prompt)
            expected = roc_auc_score(np.ravel(episodes.target), np.ravel(answers[..., 1] - answers[..., 0]))
            assert float(curves[-1][f"auc.{name}"]) == pytest.approx(expected, abs=1e-6)


def test_other_users_are_others(folder):
    """Of as many users the numbers are others than those of the test, and so are the labels that the rate has."""
    rows = [row for row in table(folder, "clicks") if row["seed"] == "0"]
    (test,), (others,) = ([row for row in rows if row["answers"] == name] for name in ("sliding", "others"))
    assert test["auc"] != others["auc"]
    assert others["gap.auc"] == ""


def test_the_kept_decoder_gives_the_same_numbers(folder):
    settings = compose_run([word for word in WORDS if word != "run.dir"])
    like = experiment.learners(settings)[evaluation.DECODER]
    rows = table(folder, "clicks")
    for member in (0, 1):
        decoder = keep.read(RunDirectory(folder), evaluation.DECODER, like, member)
        assert decoder.shape.scheme.reset is not None, "as it was trained"
        forms = evaluation.test_forms(decoder, settings)
        assert {name: form.shape.num_targets for name, form in forms.items()} == {"sliding": 1, "streaming": 2}
        assert all(form.shape.scheme.reset is None for form in forms.values()), "a reset in training alone"
        member_of = jax.tree.map(lambda leaf, i=member: leaf[i], experiment.session_of([settings]).members)
        logits, labels = [], []
        for number in range(3):
            episodes = member_of.task.sample(jax.random.fold_in(jax.random.fold_in(member_of.validation, number), 0), 6)
            answers = jax.jit(jax.vmap(forms["sliding"]))(episodes.prompt)
            logits.append(answers[..., 1] - answers[..., 0])
            labels.append(episodes.target)
        logits, labels = np.concatenate(logits)[:14], np.concatenate(labels)[:14]
        loss = np.mean(np.logaddexp(0, np.where(labels > 0, -logits, logits)))
        (row,) = [row for row in rows if row["answers"] == "sliding" and row["seed"] == str(member)]
        assert float(row["log_loss"]) == pytest.approx(loss, abs=1e-5)


def test_attention_is_banded_where_prompts_are_long():
    assert block_of(0, 10, 50) is None
    assert block_of(7, 10, 1) == 7
    assert block_of(None, 10, 1) is None
    assert block_of(None, 10, 50) is not None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["task=plain"], "task=plain: it has no clicks; allowed: clicks, ordered_clicks"),
        (["model.targets=51"], "model.targets=51: a stream has task.num_targets=50 of them"),
        (["model.width=30"], "model.num_heads=4: must divide model.width=30"),
        (["model.width=12"], "model.positions=rope: model.width / model.num_heads must be even"),
        (["model.ymin=0.5", "model.ymax=0.1"], "model.ymin=0.5: at most model.ymax=0.1"),
        (["model.ymax=2"], "model.ymax=2"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_one_line(words, message):
    with pytest.raises(ConfigError) as error:
        compose_run(["experiment=click_stream", *words])
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_runs_that_differ_in_traced_numbers_train_together():
    words = (["task.change=0.2"], ["model.ymax=0.3"], ["train.learning_rate=0.001"])
    keys = {compose_run(["experiment=click_stream", *each]).together() for each in words}
    assert len(keys) == 1
    assert Dti is type(compose_run(["experiment=click_stream"]))


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
    assert verdicts(dti, rows) == [is_worse, is_worse, good, good, good, is_worse]


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
    assert verdicts(dti_ablation, rows) == [helps] * 16


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
    assert dti.CONTROLS
    for figure in (dti_ablation, dti_worlds):
        assert all(claim.controls for claim in figure.CLAIMS)
    (used, _) = of_parts("sliding")
    assert not used.judge(tables_of(0.9, 0.0, part="sliding"))[0].met, "sliding windows are its prompts in training"


@pytest.mark.parametrize("holds", [True, False])
def test_verdicts_on_worlds_follow_the_numbers(holds):
    def auc_of(part):
        gap = 0.01 if part == ("lasting_naive" if holds else "changing_naive") else 0.004
        return (0.7 if part == "ordered_local" and holds else 0.8), gap

    rows = rows_of(auc_of, part=[f"{world}_{scheme}" for world in dti_worlds.WORLDS for scheme in dti_worlds.SCHEMES])
    assert verdicts(dti_worlds, rows) == [holds, holds]


def test_a_decoder_of_sliding_windows_has_no_other_prompts_as_in_training():
    rows = rows_of(lambda part: (0.8, 0.0), part=["sliding", "naive"])
    with style.paper():
        figure, axes = style.panels(1, 1, width=6, height=3)
        draw_parts(axes[0, 0], rows, ["sliding", "naive"], ["sliding", "naive"])
        shown = {each.get_label(): len(each[0].get_xdata()) for each in axes[0, 0].containers}
    assert shown == {"prompts as in training": 1, "sliding windows": 2}
    style.plt.close(figure)
