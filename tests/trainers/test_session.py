"""The compiled programs of a run."""

import jax
import numpy as np
import pytest

from lab.runs import memory
from tests.trainers.sessions import begun, settings_of
from trainers.experiments.comparison import evaluation

PLAIN = ["experiment=plain", "baselines.line_search_episodes=100"]


@pytest.mark.parametrize("episodes", [100, 25_000])
def test_no_program_has_two_batched_lapack_calls(episodes):
    """On two cores, two at once can wait for each other for ever: see `lab.learners.ridge.solve_positive`."""
    settings = settings_of(*PLAIN, f"eval.episodes={episodes}")
    session = begun(settings)
    evaluation.final(session, settings, evaluation.curve(session, settings))
    texts = [program.as_text() for program in session.programs.compiled.values()]
    assert len(texts) == 7  # prepare, begin, draw; who appears and what is measured, for the curve and the end
    assert max(text.count('custom_call_target="lapack') for text in texts) == 1  # least squares


def measured(session):
    """How many episodes the programs measure: as long are the longest of their arguments."""
    programs = [shapes for name, _, shapes in session.programs.compiled if name == "measure"]
    return {max(shape[0] for shape, _ in shapes if shape) for shapes in programs}


@pytest.mark.parametrize(("chunk", "fits"), [(30, None), (0, 30)])
def test_episodes_are_measured_as_many_at_a_time_as_fit(chunk, fits, monkeypatch):
    """As `eval.chunk` says, or as free memory allows, here 30 of 100: in four parts of 25. The same statistics, but for
    the rounding of other vector lengths."""

    def looked(chunk):
        settings = settings_of(*PLAIN, "eval.episodes=100", f"eval.chunk={chunk}")
        session = begun(settings)
        return evaluation.curve(session, settings), session

    expected, session = looked(0)
    assert measured(session) == {100}
    if fits:
        (program,) = (program for (name, *_), program in session.programs.compiled.items() if name == "measure")
        needs = program.memory_analysis()
        each = (needs.temp_size_in_bytes + needs.output_size_in_bytes) / 100
        monkeypatch.setattr(memory, "free_bytes", lambda: fits * each / memory.SHARE)
    seen, session = looked(chunk)
    assert measured(session) == ({25} if chunk else {100, 25})
    for one, other in zip(jax.tree.leaves(seen), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)


def test_a_chunk_is_compiled_once():
    session = begun(settings_of(*PLAIN, "train.steps=6", "train.batch_size=4"))
    before = len(session.programs.compiled)
    for _ in range(3):
        assert session.advance(2)["transformer"].shape == (1, 2)
    assert len(session.programs.compiled) == before + 1
    assert int(jax.device_get(session.states["transformer"].step)[0]) == 6
