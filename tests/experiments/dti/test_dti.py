"""`dti` on a tiny budget: from the command to tables, figure and kept decoder; and what its claims are judged by."""

import itertools

import jax
import numpy as np
import pytest

from analysis.figures import style
from analysis.tables.select import Row
from experiments.dti import evaluation
from experiments.dti import run as experiment
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
    answers = {"sliding", "streaming", "bayes_item", "bayes_window", "bayes_all"}
    assert {(row["seed"], row["answers"]) for row in rows} == set(itertools.product("01", answers))
    sliding, streaming = ([row for row in rows if row["answers"] == name] for name in ("sliding", "streaming"))
    for one, many in zip(sliding, streaming, strict=True):
        assert float(many["gap.auc"]) == pytest.approx(float(many["auc"]) - float(one["auc"]))
    curves = table(folder, "curves")
    assert len(curves) == 2 * 3
    assert float(curves[0]["loss.sliding"]) > 0


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


def verdicts(figure, rows):
    return [claim.evaluate(Tables(clicks=rows), {})["holds"] for claim in figure.CLAIMS]


@pytest.mark.parametrize("is_worse", [True, False])
def test_verdicts_on_dti_follow_the_numbers(is_worse):
    sign = -1 if is_worse else 1

    def auc_of(part, targets):
        return 0.8 + sign * 0.01 * np.log(targets), 0.002 * -sign * np.log(targets)

    rows = rows_of(auc_of, part=["sliding"], targets=[1.0]) + rows_of(
        auc_of, part=["naive", "dti"], targets=[5.0, 50.0]
    )
    assert verdicts(dti, rows) == [is_worse, not is_worse, not is_worse, is_worse]


@pytest.mark.parametrize("helps", [True, False])
def test_verdicts_on_remedies_follow_the_numbers(helps):
    values = {"sliding": 0.8, "naive": 0.7, "reset": 0.72, "alibi": 0.75, "local": 0.8, "split": 0.81, "own": 0.7995}
    worse = values | {"reset": 0.65, "alibi": 0.6, "local": 0.7, "split": 0.7, "own": 0.7}

    def auc_of(part, positions):
        return (values if helps else worse)[part], 0.0

    rows = rows_of(auc_of, part=[*values], positions=["rope", "learned"])
    assert verdicts(dti_ablation, rows) == [helps] * 6


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
