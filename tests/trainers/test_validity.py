"""A result, a training or a saved state is believed only if all settings that made it, defaults too, are today's."""

import json
import os

import jax
import pytest

from experiments.duals.dual_form.settings import DualForm
from experiments.regression.comparison.settings import Baselines
from lab.config.compose import compose_run
from lab.config.training import Train
from lab.runs import provenance, validity
from lab.runs.directory import RunDirectory
from tests.command_line import TINY, lab_here, ran
from tests.defaults import changed_default
from tests.own_files import BOUNCE, launch, write
from tests.run_files import directory_of
from tests.trainers.small_runs import made, results, run
from tests.trainers.test_resume import finished, stopped_at
from trainers import resume
from trainers.slice import RunSlice

DUAL = ["experiment=dual_form", "cases=2", "topics=[linear]"]
RATE = "learning_rate was 0.2 and is 0.1 today"


def lines_with(text, output):
    return [line for line in output.splitlines() if text in line]


def test_a_result_of_another_default_is_made_again(tmp_path):
    """It says why in one line; then it is believed, and so is what differs in settings that do not matter."""
    ran(*DUAL, cwd=tmp_path)
    path = directory_of(tmp_path)
    before = (path / "identities.csv").read_text()
    assert "already done" in lab_here(*DUAL, "device.cache=false", cwd=tmp_path).stdout
    with changed_default(DualForm, learning_rate=0.1):
        again = lab_here(*DUAL, cwd=tmp_path).stdout
        assert lines_with("run again, as", again) == [f"runs/dual_form/{path.name}: run again, as {RATE}"]
        assert "already done" not in again
        assert directory_of(tmp_path) == path
        assert (path / "identities.csv").read_text() != before
        assert "already done" in lab_here(*DUAL, cwd=tmp_path).stdout
    assert "learning_rate was 0.1 and is 0.2 today" in lab_here(*DUAL, cwd=tmp_path).stdout
    assert (path / "identities.csv").read_text() == before


def test_a_key_that_is_new_or_gone_is_no_difference(tmp_path):
    ran(*DUAL, cwd=tmp_path)
    config = directory_of(tmp_path) / "config.yaml"
    text = config.read_text()
    assert "\nlearning_rate: 0.2\n" in text
    config.write_text(text.replace("\nlearning_rate: 0.2\n", "\ngone: 7\n"))
    assert "already done" in lab_here(*DUAL, cwd=tmp_path).stdout
    config.unlink()
    refused = lab_here(*DUAL, cwd=tmp_path)
    assert refused.returncode == 1
    assert "config.yaml: no such file; run.force=true" in refused.stderr


@pytest.mark.slow
def test_a_repetition_that_fails_is_not_taken_for_done(tmp_path, monkeypatch):
    from experiments.duals.dual_form import run as dual_form
    from lab.errors import Diverged

    def broken(records):
        raise Diverged("the loss is no number")

    ran("-m", *DUAL, "seed=1,2", cwd=tmp_path)
    monkeypatch.setattr(dual_form, "run", broken)
    with changed_default(DualForm, learning_rate=0.1):
        failed = lab_here("-m", *DUAL, "seed=1,2", cwd=tmp_path)
    assert failed.returncode == 1
    assert "every point failed" in failed.stderr
    assert not [*tmp_path.glob("runs/*/*/DONE")]


@pytest.mark.slow
def test_a_sweep_is_gathered_again_after_a_point_was_run_again(tmp_path):
    """In the same command or by itself before."""
    sweep = ["-m", *DUAL, "seed=1,2"]
    ran(*sweep, cwd=tmp_path)
    path = directory_of(tmp_path)
    state = (path / "DONE").stat().st_mtime_ns
    ran(*sweep, cwd=tmp_path)
    assert (path / "DONE").stat().st_mtime_ns == state
    with changed_default(DualForm, learning_rate=0.1):
        done = lab_here(*sweep, cwd=tmp_path)
        assert len(lines_with(RATE, done.stdout)) == 2
        second = (path / "DONE").stat().st_mtime_ns
        assert second > state
        assert "rate: 0.1" in (path / "config.yaml").read_text()
        ran(*sweep, cwd=tmp_path)
        assert (path / "DONE").stat().st_mtime_ns == second
    ran(*DUAL, "seed=2", cwd=tmp_path)
    with changed_default(DualForm, learning_rate=0.1):  # so that the sweep's own settings agree
        ran(*DUAL, "seed=2", cwd=tmp_path)
        ran(*sweep, cwd=tmp_path)
    assert (path / "DONE").stat().st_mtime_ns > second


@pytest.mark.usefixtures("compiled_once")
class TestTrainings:
    @pytest.fixture(autouse=True)
    def _after_every_evaluation(self, monkeypatch):
        monkeypatch.setattr(resume, "SHARE", float("inf"))

    @pytest.mark.slow
    def test_weights_of_another_clip_norm_are_not_taken(self, tmp_path, capsys):
        (first,) = made(tmp_path / "shared")
        run([first])
        with changed_default(Train, clip_norm=0.001):
            (other,) = made(tmp_path / "shared", words=["baselines.ridge_penalty=.02"])
            run([other])
            output = capsys.readouterr().out
            assert "trained already" not in output
            line = f"trained anew, not taken from {first.directory.path}, as train.clip_norm was 1.0 and is 0.001 today"
            assert lines_with("clip_norm", output) == [f"{other.directory.path}: {line}"]
            (alone,) = made(tmp_path / "alone", words=["baselines.ridge_penalty=.02"])
            run([alone])
            assert results([other]) == results([alone])
            (third,) = made(tmp_path / "shared", words=["baselines.ridge_penalty=.03"])
            run([third])
            assert third.trained_by == other.directory.path

    @pytest.mark.slow
    def test_a_saved_state_of_another_clip_norm_is_not_gone_on_from(self, tmp_path, monkeypatch, capsys):
        (first,) = made(tmp_path)
        stopped_at(4, [first], monkeypatch)
        assert made(tmp_path)[0].steps == {2, 4}
        capsys.readouterr()
        with changed_default(Train, clip_norm=0.001):
            (again,) = made(tmp_path)
            assert again.steps == set()
            stopped_at(2, [again], monkeypatch)
            output = capsys.readouterr().out
            line = f"{again.directory.path}: begun anew, as train.clip_norm was 1.0 and is 0.001 today"
            assert lines_with("clip_norm", output) == [line]
            (third,) = made(tmp_path)
            assert third.steps == {0, 2}, "its own, and none of the earlier ones"
            run([third])
            (alone,) = made(tmp_path / "alone")
            run([alone])
            assert results([third]) == results([alone])

    @pytest.mark.slow
    def test_code_before_two_interruptions_is_not_forgotten(self, tmp_path, monkeypatch):
        """The second code is killed when it has written rows and no state. Then another run takes the training."""
        with monkeypatch.context() as patched:
            other_code_is_today(patched)
            stopped_at(4, made(tmp_path), monkeypatch)
        (again,) = made(tmp_path)
        with monkeypatch.context() as patched:
            patched.setattr(RunSlice, "evaluated", killed_after(RunSlice.evaluated))
            with pytest.raises(KeyboardInterrupt):
                run([again])
        assert again.steps == {2, 4}
        (last,) = made(tmp_path)
        run([last])
        (taking,) = made(tmp_path, words=["baselines.ridge_penalty=.02"])
        run([taking])
        assert taking.trained_by == last.directory.path
        for record in (last, taking):
            said = [note for note in record.directory.read_summary()["notes"] if "other code" in note]
            assert said == [f"the training was {OTHER}"]
            assert validity.other_code(record.directory, record.settings) == OTHER
            (maker,) = provenance.stored(record.directory.path)["earlier"].values()
            assert maker["code"]["lab/other.py"] == "0"

    def test_what_is_used_after_training_leaves_the_training_as_it_is(self, tmp_path, monkeypatch, capsys):
        (first,) = made(tmp_path)
        run([first])
        capsys.readouterr()
        monkeypatch.setattr("trainers.session.Session.advance", None)
        with changed_default(Baselines, ridge_penalty=0.02):
            finished(made(tmp_path)[0])
        output = capsys.readouterr().out
        assert len(lines_with("ridge_penalty was 0.001 and is 0.02 today", output)) == 1


OTHER = "made by other code (changed since: lab/other.py)"


def killed_after(real):
    def killed(*arguments):
        real(*arguments)
        raise KeyboardInterrupt

    return killed


def other_code_is_today(patched):
    real = provenance._code
    patched.setattr(provenance, "_code", lambda roots, own: real(roots, own) | {"lab/other.py": "0"})


def test_code_that_kept_a_learner_is_told_of_what_starts_from_it(tmp_path):
    """Also where that run is made again by today's code, and its finished parts are no longer used."""
    settings = compose_run(["experiment=more_steps", f"run.dir={tmp_path}"])
    before = provenance.digest(settings)
    ((place, needed), *_) = provenance.inputs(settings).items()
    directory = RunDirectory(tmp_path / place)
    directory.path.mkdir(parents=True)
    maker = {"code": {"lab/other.py": "0"}, "computed_by": {}}
    (directory.path / "provenance.json").write_text(json.dumps(provenance.provenance(needed) | maker))
    assert provenance.digest(settings) != before
    mine = RunDirectory.of(settings)
    mine.begin(settings)
    directory.begin(needed)
    assert validity.other_code(directory, needed) == ""
    assert validity.other_code(mine, settings) == OTHER


def test_numbers_do_not_depend_on_the_options_of_jax(tmp_path):
    """As the environment may set them, such as JAX_ENABLE_X64=1."""
    others = {
        "jax_enable_x64": True, "jax_default_prng_impl": "rbg", "jax_threefry_partitionable": False,
        "jax_random_seed_offset": 1, "jax_default_matmul_precision": "bfloat16",
    }  # fmt: skip
    today = {name: jax.config.values[name] for name in others}
    tables = []
    for options in (today, others):
        (folder := tmp_path / str(len(tables))).mkdir()
        for name, value in options.items():
            jax.config.update(name, value)
        try:
            ran(*DUAL, cwd=folder)
            set_today = {name: jax.config.values[name] for name in today}
            assert set_today == today | {"jax_default_matmul_precision": "highest"}
        finally:
            for name, value in today.items():
                jax.config.update(name, value)
        tables.append({path.name: path.read_text() for path in directory_of(folder).glob("*.csv")})
    assert tables[0]
    assert tables[0] == tables[1]


MODEL = "model=[" + ",".join(f'"{word}"' for word in ["experiment=plain", *TINY, "task.input_dim=3"]) + "]"


@pytest.mark.slow
@pytest.mark.usefixtures("tables")
def test_what_a_run_starts_from_is_believed_by_the_same_rule(tmp_path, monkeypatch, capsys):
    """Also where the other run was made again before it, by itself, and where neither knows its provenance."""
    monkeypatch.chdir(tmp_path)
    words = [write(tmp_path, BOUNCE), "kind=bounce", "name=bounce", MODEL]
    launch(*words)
    (model,), (mine,) = tmp_path.glob("runs/plain/*/"), tmp_path.glob("runs/bounce/*/")
    capsys.readouterr()

    def said(*command):
        launch(*command)
        return capsys.readouterr().out

    assert "run again" not in said(*words)
    with changed_default(Train, clip_norm=0.001):
        both = said(*words)
        line = "train.clip_norm was 1.0 and is 0.001 today"
        assert lines_with(line, both) == [
            f"runs/plain/{model.name}: run again, as {line}",
            f"runs/bounce/{mine.name}: run again, as of plain/{model.name}, which it starts from, {line}",
        ]
        assert "run again" not in said(*words)
    plain = [word.strip('"') for word in MODEL.removeprefix("model=[").removesuffix("]").split('","')]
    assert "run again" in said(*plain)
    assert f"runs/bounce/{mine.name}: run again" in said(*words)


def test_a_result_of_other_code_is_shown_with_a_line(tmp_path):
    ran(*DUAL, cwd=tmp_path)
    file = directory_of(tmp_path) / "provenance.json"
    stored = json.loads(file.read_text())
    own = {"experiments/duals/dual_form/run.py", "experiments/duals/dual_form/settings.py"}
    assert own | {"lab/dual.py"} <= stored["code"].keys()
    assert not [name for name in stored["code"] if name.startswith(("tests/", os.sep))]
    assert "other code" not in lab_here(*DUAL, cwd=tmp_path).stdout
    stored["code"]["lab/dual.py"] = "0"
    del stored["code"]["experiments/duals/dual_form/run.py"]
    file.write_text(json.dumps(stored))
    (line,) = lines_with("other code", lab_here(*DUAL, cwd=tmp_path).stdout)
    assert line == (
        f"note: runs/dual_form/{file.parent.name} was made by other code (changed since: "
        "experiments/duals/dual_form/run.py, lab/dual.py); run.force=true repeats it"
    )
    file.unlink()
    older = lab_here(*DUAL, cwd=tmp_path).stdout
    assert "already done" in older
    assert "other code" not in older


def test_a_result_of_other_versions_or_devices_is_shown_with_a_line(tmp_path):
    ran(*DUAL, cwd=tmp_path)
    file = directory_of(tmp_path) / "provenance.json"
    stored = json.loads(file.read_text())
    here, jax_here = stored["computed_by"], jax.__version__
    assert here["devices"] == "1 x cpu"
    assert "computed with" not in lab_here(*DUAL, cwd=tmp_path).stdout
    file.write_text(json.dumps(stored | {"computed_by": here | {"jax": "0.9", "devices": "2 x cpu"}}))
    done = lab_here(*DUAL, cwd=tmp_path).stdout
    assert lines_with("computed with", done) == [
        f"note: runs/dual_form/{file.parent.name} was computed with jax 0.9 (now {jax_here}), devices 2 x cpu "
        "(now 1 x cpu); run.force=true repeats it"
    ]
    stale = lab_here("runs", "stale", cwd=tmp_path).stdout  # which knows no devices, as it imports no JAX
    assert f"runs/dual_form/{file.parent.name}: computed with jax 0.9 (now {jax_here})\n" in stale
    assert "1 made by other code" in stale
    del stored["computed_by"]
    file.write_text(json.dumps(stored))
    assert "computed with" not in lab_here(*DUAL, cwd=tmp_path).stdout
