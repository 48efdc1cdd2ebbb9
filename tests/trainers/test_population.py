"""Numbers that are data: a population over any of them is one program."""

import jax
import numpy as np
import pytest

from lab.config.identity import iter_settings, program_key
from tests.trainers.sessions import begun, settings_of
from trainers.population import members

VALUES = {"seed": 7, "eval.seed": 7}


def traced():
    """The keys of rag_dot's settings that are traced."""
    return [
        setting.key for setting in iter_settings(settings_of("experiment=rag_dot")) if setting.metadata.get("traced")
    ]


def same(a, b):
    def data(leaf):
        return jax.random.key_data(leaf) if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf

    return [np.array_equal(data(x), data(y)) for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)]


@pytest.mark.parametrize("key", traced())
def test_a_number_is_a_leaf_of_the_population_and_no_part_of_the_program(key):
    """So that two configurations that differ in it train together, each as it was asked to."""
    base = settings_of("experiment=rag_dot")
    changed = settings_of(*["experiment=rag_dot", f"{key}={VALUES.get(key, 0.25)}"])
    assert program_key(base) == program_key(changed)
    one, other, both = members([base]), members([changed]), members([base, changed])
    assert jax.tree.structure(one) == jax.tree.structure(other)
    leaves = 2 if key == "seed" else 1  # a seed has a key and, with eval.seed, test episodes of its own
    assert same(one, other).count(False) == leaves
    assert all(same(jax.tree.map(lambda leaf: leaf[:1], both), one))
    assert all(same(jax.tree.map(lambda leaf: leaf[1:], both), other))


@pytest.mark.parametrize("word", ["train.steps=9", "model.num_layers=2", "task.num_documents=2", "train.warmup=0.1"])
def test_anything_else_is_another_program(word):
    assert program_key(settings_of("experiment=rag_dot")) != program_key(settings_of("experiment=rag_dot", word))


def test_seeds_count_from_the_first():
    config = settings_of(*["experiment=plain", "seed=3", "seeds=2"])
    alone = [members([settings_of(*["experiment=plain", f"seed={seed}"])]) for seed in (3, 4)]
    for i, one in enumerate(alone):
        assert all(same(jax.tree.map(lambda leaf, i=i: leaf[i : i + 1], members([config])), one))


def test_every_seed_has_test_episodes_of_its_own_and_other_settings_share_them():
    def keys(*words):
        return jax.random.key_data(members([settings_of("experiment=rag_dot", *words)]).validation).tolist()

    first, second, third = keys("seeds=3")
    assert first != second != third != first
    assert keys("seed=1", "task.sigma=0.3", "task.num_documents=2", "train.steps=7") == [second]
    assert keys("seed=2147483647", "eval.seed=2147483647")[0] not in (first, second, third), "sums are no error"


@pytest.mark.parametrize("chunk", [1, 2])
def test_members_can_be_trained_in_chunks(chunk):
    """To rounding as all at once, also where the last chunk is smaller."""
    words = ["experiment=plain", "train.batch_size=8", "baselines.line_search_episodes=100", "seeds=5"]
    whole, cut = (begun(settings_of(*words, f"population.chunk={size}")) for size in (0, chunk))
    np.testing.assert_allclose(cut.advance(4)["transformer"], whole.advance(4)["transformer"], rtol=1e-5)
