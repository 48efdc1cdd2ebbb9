"""Results that were damaged after they were done: one line that names the file and says what to do."""

import pytest

from tests.command_line import lab_here
from tests.run_files import directory_of

WORDS = ["experiment=dual_form", "cases=2", "topics=[linear]"]


def one_line(tmp_path, *words):
    done = lab_here(*words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "run.force=true" in done.stderr
    return done.stderr


@pytest.mark.parametrize("text", ["", '{"figure": ', "{}", "[]"])
def test_a_summary(text, tmp_path):
    assert lab_here(*WORDS, cwd=tmp_path).returncode == 0
    (directory_of(tmp_path) / "summary.json").write_text(text)
    assert "summary.json: " in one_line(tmp_path, *WORDS)
    forced = lab_here(*WORDS, "run.force=true", cwd=tmp_path)
    assert forced.returncode == 0, forced.stderr


def test_the_table_of_a_point(tmp_path):
    assert lab_here(*WORDS, "seed=1", cwd=tmp_path).returncode == 0
    (directory_of(tmp_path) / "identities.csv").unlink()
    assert "identities.csv: no such file" in one_line(tmp_path, "-m", *WORDS, "seed=1,2")
