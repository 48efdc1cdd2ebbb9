"""The kind `prompt_shifts`: a tiny run with the decoders it starts from."""

import pytest

from tests.command_line import ran
from tests.run_files import check_experiment, table
from tests.tiny_runs import words_of

WORDS = words_of("prompt_shifts")


@pytest.mark.slow
def test_every_shift_is_measured(folder):
    check_shifts(folder)


@pytest.mark.slow
def test_every_shift_is_measured_on_interleaved_tokens(tmp_path):
    """There are tokens of their own for queries that are not the context's inputs."""
    words = [word.replace("']", "','model.layout=interleaved']") for word in WORDS]
    ran(*words, cwd=tmp_path)
    (directory,) = (tmp_path / "runs" / "prompt_shifts").iterdir()
    check_experiment(directory, "prompt_shifts")
    check_shifts(directory)


def check_shifts(directory):
    rows = table(directory, "shifts")
    assert {(row["shift"], row["value"]) for row in rows} == {
        *((shift, "1.0") for shift in ("same", "skewed", "subspace", "orthants", "orthogonal", "repeated", "noise")),
        *((f"scale of {what}", value) for what in "xf" for value in ("0.5", "2.0")),
    }
    assert {row["seed"] for row in rows} == {"0", "1"}
    exact = {
        (row["shift"], row["value"]): float(row["error"])
        for row in rows
        if row["learner"] == "least_squares" and row["examples"] == "6" and row["seed"] == "0"
    }
    assert ("orthogonal", "1.0") not in exact  # after so many examples no direction is left
    assert exact.pop(("noise", "1.0")) > 0.01
    assert max(exact.values()) < 1e-4
    orthogonal = [float(row["error"]) for row in rows if (row["shift"], row["examples"]) == ("orthogonal", "1")]
    assert max(orthogonal) > 0.3  # least squares answers 0 there, so its error is that of E f^2
