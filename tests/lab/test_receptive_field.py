"""How far streams see in each layer, by a graph of who sees whom; and what a reset weighs."""

import numpy as np
import pytest

from lab.attention.reset import Reset, Towards, weight
from lab.learners.stream_schemes import Full, Local, Split, Window


def heard_of(reach, window, num_layers):
    """How far back a [SUM] hears after all layers: tokens see `limit` further in each layer before."""
    back, total = 0, 0
    for layer in range(num_layers):
        tokens, summaries = reach.limits(window, layer, num_layers)
        total = max(total, summaries + back)  # tokens as they were before this layer
        back += tokens
    return total


@pytest.mark.parametrize("num_layers", [1, 2, 3, 5])
@pytest.mark.parametrize("window", [1, 6, 10])
def test_a_window_reaches_further_with_each_layer_and_isolating_masks_do_not(window, num_layers):
    assert heard_of(Window(), window, num_layers) == window * num_layers
    assert heard_of(Local(), window, num_layers) == window
    assert heard_of(Split(), window, num_layers) == window
    assert Full().limits(window, 0, num_layers) == (None, None)
    shares = [Split().limits(window, layer, num_layers)[0] for layer in range(num_layers)]
    assert sum(shares) == window
    assert num_layers == 1 or shares[0] == 0


def test_resets_act_after_the_first_layer():
    assert [Reset().applies(layer, 3, False) for layer in range(3)] == [False, True, True]
    last = Reset(Towards.embedding, last_only=True)
    assert [last.applies(layer, 3, True) for layer in range(3)] == [False, False, True]
    assert not any(last.applies(layer, 3, False) for layer in range(3))


def test_the_weight_of_a_reset_is_a_sigmoid_of_the_distance():
    distance = np.array([[0, 3, 9], [1, 6, 12]])
    expected = np.where(distance == 0, 0, 0.2 + 0.5 / (1 + np.exp(-(distance - 3.0))))
    np.testing.assert_allclose(weight(distance, 6, np.array([0.2, 0.7])), expected, rtol=1e-6)
