"""Episodes that are measured a block at a time."""

import jax
import numpy as np
import pytest

from lab.runs import console, interrupt
from trainers.blocks import in_blocks, number_of_blocks

KEY = jax.random.key(0)


def draw(key):
    """Four episodes of a block, in a tree."""
    return {"normal": jax.random.normal(key, (4, 3)), "inner": {"uniform": jax.random.uniform(key, (4,))}}


@pytest.mark.parametrize(("episodes", "blocks"), [(3, 1), (4, 1), (5, 2), (8, 2)])
def test_each_block_has_a_key_of_its_own_and_what_is_too_much_is_cut(episodes, blocks):
    assert number_of_blocks(episodes, 4) == blocks
    with console.counting_bar("measuring", blocks) as advance:
        measured = in_blocks(draw, KEY, episodes, 4, advance)
    expected = [draw(jax.random.fold_in(KEY, block)) for block in range(blocks)]
    assert isinstance(measured["normal"], np.ndarray)
    np.testing.assert_array_equal(measured["normal"], np.concatenate([each["normal"] for each in expected])[:episodes])
    np.testing.assert_array_equal(
        measured["inner"]["uniform"], np.concatenate([each["inner"]["uniform"] for each in expected])[:episodes]
    )


def test_an_interrupt_ends_it_before_the_next_block(monkeypatch):
    done = []

    def advance():
        done.append(1)
        monkeypatch.setattr(interrupt, "_received", 2)

    with pytest.raises(interrupt.Stopped):
        in_blocks(draw, KEY, 20, 4, advance)
    assert len(done) == 1


def test_a_bar_says_what_is_at_work(monkeypatch):
    shown = []
    monkeypatch.setattr(console.Progress, "update", lambda self, bar, **more: shown.append(more))
    with console.counting_bar("training", 2) as advance:
        advance()
        advance("training, one")
    assert shown == [{"advance": 1, "description": "training"}, {"advance": 1, "description": "training, one"}]
