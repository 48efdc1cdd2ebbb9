"""Operations on the instructions of a decoder, against the decoder itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.config.choices import Position
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Merged
from lab.learners.decoder import Decoder
from lab.learners.decoder_block import Seen
from lab.learners.decoder_shape import Shape
from lab.learners.prompt_text import Inverted, Prefixed, shrunk
from tasks.recommend import Recommend
from tests.compiled import called, sampled
from trainers.recipe import Recipe
from trainers.train import train

KEY = jax.random.key(0)
TASK = Recommend(num_context=4, num_queries=3, item_dim=3, slate=5)


def decoder(layers=2, instructions=3, **options):
    shape = Shape(Merged(TokenLayout.of(TASK)), 4, width=8, num_layers=layers, num_heads=2, num_groups=2,
                  mlp_width=5, instructions=instructions, **options)  # fmt: skip
    return called(lambda key: Decoder(shape, key), KEY)


@pytest.fixture
def prompt(float64):
    return jax.tree.map(lambda leaf: leaf[0], sampled(TASK, KEY, 1).prompt)


def test_values_shrunk_by_nothing_change_nothing_and_by_all_leave_the_keys(prompt):
    """Of one layer, written out: weights of all tokens, and of the instructions times 1 - alpha."""
    plain = decoder(layers=1)
    np.testing.assert_allclose(called(shrunk(plain, 0.0), prompt), called(plain, prompt), atol=1e-13)
    block = plain.blocks[0]
    x, seen, _ = called(plain.tokens, prompt)
    q, k, v = block.projected(block.attention_norm(x), seen, plain.positions)
    for alpha in (0.3, 1.0):
        weights = np.where(seen.mask, np.exp(np.einsum("hta,hsa->hts", q, k)), 0)
        weights /= weights.sum(-1, keepdims=True)
        weights[:, :, :3] *= 1 - alpha
        attended = np.einsum("hts,hsa,hda->td", weights, v, block.w_o[...])
        layer = x + attended
        expected = plain.answers(layer + block.mlp(layer), jnp.ones(3, bool))
        np.testing.assert_allclose(called(shrunk(plain, alpha), prompt), expected, atol=1e-12)


def test_in_one_layer_the_place_of_instructions_does_not_matter(prompt):
    one, two = decoder(layers=1), decoder(layers=2)
    np.testing.assert_allclose(called(Inverted(one), prompt), called(one, prompt), atol=1e-13)
    assert np.abs(called(Inverted(two), prompt) - called(two, prompt)).max() > 1e-4


def test_inverted_is_a_causal_pass_over_the_other_order(prompt):
    """Token by token: demonstrations see themselves and those before, instructions also all demonstrations."""
    two = decoder(layers=2)
    x, seen, honest = called(two.tokens, prompt)
    order = [3, 4, 5, 6, 0, 1, 2, 7, 8, 9]  # 4 demonstrations, 3 instructions, 3 queries
    kind = ["d"] * 4 + ["i"] * 3 + ["q"] * 3
    mask = np.zeros((10, 10), bool)
    for t, s in np.ndindex(10, 10):
        mask[t, s] = t == s or (kind[s] != "q" and (kind[t] == "q" or s < t))
    layers = called(lambda x: two.forward(x, Seen(jnp.array(mask), seen.positions, None)), x[np.array(order)])
    np.testing.assert_allclose(called(Inverted(two), prompt), two.answers(layers["outputs"][-1], honest), atol=1e-13)


def test_a_prefix_is_further_instructions(prompt):
    plain = decoder()
    longer = decoder(instructions=5)
    learner = Prefixed(plain, 2, KEY)
    for name in ("w_embed", "kinds", "w_answer"):
        getattr(longer, name)[...] = getattr(plain, name)[...]
    longer.blocks, longer.norm = plain.blocks, plain.norm
    longer.instructions[...] = jnp.concatenate([learner.prefix[...], plain.instructions[...]])
    np.testing.assert_allclose(called(learner, prompt), called(longer, prompt), atol=1e-13)
    np.testing.assert_allclose(called(Prefixed(plain, 0, KEY), prompt), called(plain, prompt), atol=1e-13)


def test_training_changes_the_prefix_alone():
    plain = decoder()
    learner = Prefixed(plain, 2, KEY)
    assert len(jax.tree.leaves(nnx.split(learner, nnx.Param, ...)[1])) == 1
    trained, losses = train(learner, TASK, Recipe(steps=20, batch_size=8, learning_rate=0.05), KEY)
    assert np.isfinite(losses).all()
    assert np.abs(trained.prefix[...] - learner.prefix[...]).max() > 1e-3
    before, after = (jax.tree.leaves(each.decoder) for each in (learner, trained))
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("make", [Inverted, lambda decoder: Prefixed(decoder, 2, KEY)])
def test_positions_would_tell(make):
    with pytest.raises(ValueError, match="where a decoder has no positions"):
        make(decoder(positions=Position.rope))
