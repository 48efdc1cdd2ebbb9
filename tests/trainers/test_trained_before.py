"""A run that differs in what is used after training alone takes the training of a finished run."""

import pytest

from tests.trainers.small_runs import made, results, run
from trainers.programs import Programs
from trainers.store import Checkpoints

pytestmark = pytest.mark.usefixtures("compiled_once")


@pytest.mark.parametrize(
    "words",
    [
        ["baselines.ridge_penalty=5"],
        pytest.param(["shift.alpha=[0.5,1]"], marks=pytest.mark.slow),
    ],
)
def test_what_is_used_after_training_only_trains_nothing_again(words, tmp_path, monkeypatch, capsys):
    """The trained learners and curves are those of the finished run; what is measured anew is that of a run alone."""
    (first,) = made(tmp_path / "shared")
    run([first])

    def no_training(*arguments):
        raise AssertionError("it trains again")

    with monkeypatch.context() as patched:
        patched.setattr("trainers.meta.train", no_training)
        patched.setattr("trainers.session.Session.advance", no_training)
        (other,) = made(tmp_path / "shared", words=words)
        assert other.directory.path != first.directory.path
        run([other])
    assert "trained already" in capsys.readouterr().out
    (alone,) = made(tmp_path / "alone", words=words)
    run([alone])
    assert results([other]) == results([alone])
    assert any("the training is that of" in note for note in other.directory.read_summary()["notes"])


def test_another_ridge_penalty_compiles_no_training(tmp_path, monkeypatch):
    """Nor the line search before it: of the programs those alone that evaluate."""
    (first,) = made(tmp_path)
    run([first])
    compiled, real = [], Programs._key

    def key(self, *arguments, **options):
        result = real(self, *arguments, **options)
        compiled.append(result[0])
        return result

    monkeypatch.setattr(Programs, "_key", key)
    (other,) = made(tmp_path, words=["baselines.ridge_penalty=5"])
    run([other])
    used = {name if isinstance(name, str) else name[0] for name in compiled}
    learners = {"fixed_learners", "changing_learners", "final_learners"}
    assert used == learners | {"draw 20", "answers", "align", "circuits", "oracle"}
    ridge = [{row["learner"]: row["mean"] for row in one.directory.read_table("learners")} for one in (first, other)]
    assert ridge[0].pop("ridge") != ridge[1].pop("ridge")
    assert ridge[0] == ridge[1]


def damage(checkpoints):
    """Change one byte of an array of the last state."""
    (file,) = checkpoints.folder.iterdir()
    content = file.read_bytes()
    middle = len(content) // 2
    file.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])


@pytest.mark.slow
@pytest.mark.parametrize("lose", [Checkpoints.clear, damage], ids=["gone", "damaged"])
def test_a_training_that_is_lost_is_done_again(lose, tmp_path):
    (first,) = made(tmp_path)
    run([first])
    lose(first.checkpoints)
    (other,) = made(tmp_path, words=["baselines.ridge_penalty=5"])
    assert other.steps == set()
    run([other])
    assert other.trained_by is None
    assert other.directory.done
