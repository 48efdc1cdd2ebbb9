"""The cost of prompts of many targets: formulas against counts one by one, and against what XLA counts."""

import jax
import pytest

from analysis.metrics.cost import counted_flops, interactions_gain, projections_gain, tokens_gain
from experiments.clicks.dti_cost.programs import Size, decoder_of, loss, streams_of
from experiments.clicks.dti_cost.settings import CostModel, DtiCost
from lab.config.choices import StreamScheme

SIZES = [(10, 5, 3), (10, 50, 3), (20, 50, 35), (6, 1, 2)]


@pytest.mark.parametrize(("n", "k", "c"), SIZES)
def test_gains_are_ratios_of_what_prompts_hold(n, k, c):
    """Tokens as a list of them, one for every token and [SUM]."""

    def tokens(targets):
        context = [(i, t) for i in range(n) for t in range(c)]
        return context + [(n + j, t) for j in range(targets) for t in [*range(c), "sum"]]

    assert tokens_gain(n, k, c) == pytest.approx(k * len(tokens(1)) / len(tokens(k)), rel=1e-12)
    assert interactions_gain(n, k) == pytest.approx(k * n / (n + k), rel=1e-12)
    assert interactions_gain(n, k) <= min(n, k)


def test_published_values_of_the_formulas():
    assert interactions_gain(20, 50) == pytest.approx(14.3, abs=0.05)
    assert tokens_gain(20, 50, 35) == pytest.approx(14.7, abs=0.05)
    assert tokens_gain(20, 50, 3) == pytest.approx(12.3, abs=0.05)


def test_a_window_of_one_target_gains_no_tokens():
    assert tokens_gain(10, 1, 3) == projections_gain(10, 1, 3, 2) == 1


def test_products_of_many_layers_are_as_many_as_tokens():
    """In all layers but the last a token and a [SUM] take the same."""
    n, k, c = 10, 20, 3
    apart = [abs(projections_gain(n, k, c, layers) / tokens_gain(n, k, c) - 1) for layers in (1, 2, 4, 8, 1000)]
    assert apart == sorted(apart, reverse=True)
    assert apart[-1] < 1e-3


def counted_gain(settings, size, block):
    """Of XLA's counts, of prompts and of their sliding windows."""

    def flops(targets: int, block: int | None) -> float:
        decoder = jax.eval_shape(lambda: decoder_of(settings, size, targets, block))
        streams = jax.eval_shape(lambda: streams_of(settings, size, targets))
        return counted_flops(jax.jit(loss).lower(decoder, streams).compile())

    return flops(1, None) / flops(size.k, block)  # of the same number of targets


def test_a_wide_decoder_with_small_blocks_gains_what_its_products_with_weights_do():
    """Scores and averages are 4 S D operations of a token that sees S others, products with weights 24 D^2: one in 200
    at S = 15 tokens and D = 512."""
    settings = DtiCost(targets=128, model=CostModel(num_layers=2, num_heads=2, scheme=StreamScheme.no_id))
    gain = counted_gain(settings, Size(4, 8, 3, 512), block=1)
    assert gain == pytest.approx(projections_gain(4, 8, 3, 2), rel=0.01)
    assert gain != pytest.approx(tokens_gain(4, 8, 3), rel=0.02), "as the last layer needs no tokens but their keys"


@pytest.mark.slow
def test_a_wide_deep_decoder_of_many_tokens_gains_what_is_counted_in_tokens():
    """The last layer of eight weighs little, and so does a [SUM] among twelve tokens."""
    settings = DtiCost(targets=16, model=CostModel(num_layers=8, num_heads=2, scheme=StreamScheme.no_id))
    size = Size(8, 16, 12, 1024)
    assert counted_gain(settings, size, block=2) == pytest.approx(tokens_gain(8, 16, 12), rel=0.01)


@pytest.mark.slow
def test_a_narrow_decoder_gains_less():
    """Attention is no longer small beside products with weights, and blocks of n cost 2 n a query, windows n."""
    settings = DtiCost(targets=8, model=CostModel(num_layers=2, num_heads=2, scheme=StreamScheme.no_id))
    whole, small = (counted_gain(settings, Size(4, 8, 3, 16), block) for block in (4, 1))
    assert whole < small < tokens_gain(4, 8, 3)
