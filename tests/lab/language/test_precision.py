"""Weights in bfloat16, and weights on several devices."""

import jax
import ml_dtypes
import numpy as np
import pytest

from lab.language.scoring import Query, encode, score
from lab.language.weights import load
from tests.command_line import forced_devices, python
from tests.lab.language.folders import config, golden, loaded, tensors, write
from tests.lab.language.test_golden import plain


@pytest.mark.parametrize("name", ["gpt2", "bloom", "llama"])
def test_bfloat16_moves_logits_by_its_rounding(name, tmp_path):
    """Weights and tokens are rounded by up to 2^-9 of themselves. Some dozen such errors of logits of up to 3 add up to
    a few hundredths; .15 is five times as much as the design's prototype had, and a wrong cast of scores or logits
    gives more. Logits themselves are float32: they are no multiples of 2^-7, as bfloat16's between 1 and 2 are."""
    model = load(write(tmp_path, config(name), tensors(golden(name))), "bfloat16")
    assert {leaf.dtype for leaf in jax.tree.leaves(model.params)} == {np.dtype(ml_dtypes.bfloat16)}
    logits, _ = plain(model, golden(name)["plain_tokens"])
    assert logits.dtype == np.float32
    error = np.abs(np.asarray(logits) - golden(name)["plain"])
    assert 1e-4 < error.max() < 0.15
    assert np.mean(np.asarray(logits) * 2**7 % 1 == 0) < 0.1


def test_scores_behind_a_history_in_bfloat16(tmp_path):
    """The history is float32, and the answers are those of float32 weights up to bfloat16's rounding."""
    model = load(write(tmp_path, config("llama"), tensors(golden("llama"))), "bfloat16")
    history = encode(model, [3, 4, 5, 6, 7])
    assert history.keys.dtype == np.float32
    queries = [Query([8, 9, 10], [[11], [12, 13]])]
    rounded = score(model, queries, history).sums
    exact = score(loaded("llama"), queries, encode(loaded("llama"), [3, 4, 5, 6, 7])).sums
    assert 1e-4 < np.abs(rounded - exact).max() < 0.15


ON_TWO = """
import pathlib, sys
import jax, numpy as np
from lab.language.scoring import Query, encode, score
from experiments.demonstrations.language_deep_thinking.measure import think
from lab.language.weights import load
from trainers.mesh import mesh_of
from lab.config.base import Device
folder, queries = pathlib.Path(sys.argv[1]), [Query([8, 9, 10], [[11], [12, 13]])] * 3
mesh = mesh_of(Device(), 1, 4)
assert mesh.size == 2
one, two = load(folder), load(folder, mesh=mesh)
for name, axis in (("q", 2), ("k", 2), ("o", 1), ("up", 2), ("down", 1), ("attention_norm", None)):
    whole, here = two.params["layers"][name].shape, two.params["layers"][name].addressable_shards[0].data.shape
    assert [a // b for a, b in zip(whole, here)] == [2 if i == axis else 1 for i in range(len(whole))], name
assert two.params["embed"].is_fully_replicated  # 101 words: two devices cannot have the same number
for one_thought, two_thought in zip(*(think(model, [3, 4, 5, 6, 7], 3, 0.1, 0.9) for model in (one, two))):
    sums = [score(model, queries, each.history).sums for model, each in ((one, one_thought), (two, two_thought))]
    np.testing.assert_allclose(*sums, rtol=0, atol=1e-5)
print("SAME")
"""


@pytest.mark.slow
def test_two_devices_that_share_the_weights_give_the_same_scores(tmp_path):
    folder = write(tmp_path, config("llama"), tensors(golden("llama")))
    assert python("-c", ON_TWO, str(folder), **forced_devices(2)).stdout.startswith("SAME")
