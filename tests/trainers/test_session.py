"""The compiled programs of a run."""

import jax
import pytest

from lab import config as configuration
from lab.config import Baselines, Config, Eval
from trainers.session import Session


@pytest.mark.parametrize("episodes", [100, 25_000])
def test_no_program_has_two_batched_lapack_calls(episodes):
    """On two cores, two at once can wait for each other for ever: see `lab.learners.ridge.solve_positive`."""
    config = Config(
        task=configuration.TASKS["plain"](), eval=Eval(episodes), baselines=Baselines(line_search_episodes=100)
    )
    session = Session([config])
    session.conclude(session.look())
    texts = [program.as_text() for program in session._programs.values()]
    assert len(texts) == 7  # references, begin, draw; who appears and what is measured, for the curve and the end
    assert max(text.count('custom_call_target="lapack') for text in texts) == 1  # least squares


def test_a_chunk_is_compiled_once():
    train = configuration.Train(steps=6, batch_size=4)
    session = Session(
        [Config(task=configuration.TASKS["plain"](), train=train, baselines=Baselines(line_search_episodes=100))]
    )
    before = len(session._programs)
    for _ in range(3):
        assert session.advance(2)["transformer"].shape == (1, 2)
    assert len(session._programs) == before + 1
    assert int(jax.device_get(session.states["transformer"].step)[0]) == 6
