"""One thing has one name: the same key in every kind that has it."""

import re

import pytest

from lab.config.help import meanings
from lab.config.kinds import KINDS
from lab.config.training import StartsFromTrained

# What the sentence of a key says: the names that a key of this meaning may have.
NAMES = {
    r"Number of seeds": {"seeds"},
    r"[Tt]est episodes of each (seed|evaluation|decoder)": {"eval.episodes", "eval.episodes_in_training"},
    r"[Tt]est users of each": {"eval.users"},
    r"(Episodes|Users) (measured|drawn) at a time": {"eval.block", "eval.chunk"},
    r"[Ll]earning rate\b": {"train.learning_rate", "learning_rate", "prefix.learning_rate", "train.warmup"},
    r"width of a token": {"model.width", "train.init_scale", "large.decoder.width", "small.decoder.width"},
    r"^Steps of the optimiser": {"train.steps", "prefix.steps", "baselines.gd_plus_plus.steps"},
    r"^Episodes per step": {
        "train.batch_size",
        "batch_size",  # of plateau, which trains by plain gradient descent, too
        "prefix.batch_size",
        "baselines.gd_plus_plus.batch_size",
        "large.batch_size",
        "small.batch_size",
    },
}
OF_BASELINES = re.compile(r"baselines\.\w*\.?\w*learning_rate|(?:prefix|constants)\.warmup")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_thing_has_the_same_key_in_every_kind(kind):
    for key, sentence in meanings(KINDS[kind].schema, {}).items():
        for said, names in NAMES.items():
            assert not re.search(said, str(sentence)) or key in names or OF_BASELINES.fullmatch(key), (key, sentence)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_seeds_are_those_of_the_learners_that_it_starts_from(kind):
    """With another seed a run starts from learners of other seeds, and so has other results."""
    settings = KINDS[kind].schema()
    if isinstance(settings, StartsFromTrained):
        settings.seed, settings.seeds = 7, 2
        assert all({"seed=7", "seeds=2"} <= {*words} for words in settings.inputs())
