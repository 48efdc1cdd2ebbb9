"""What a run's name depends on."""

import dataclasses
from dataclasses import field
from typing import Any

import pytest

from experiments.regression.comparison.settings import Comparison
from lab.config import compose
from lab.config.base import Base
from lab.config.identity import code_hash, config_hash, differences, program_key, training_hash
from lab.config.training import Train

PLAIN = ["experiment=plain"]


def settings_of(*words) -> Any:
    return compose.compose([*PLAIN, *words])


def test_a_new_field_with_its_default_leaves_every_name_as_it_was():
    @dataclasses.dataclass
    class MoreTrain(Train):
        momentum: float = field(default=0.9, metadata={"traced": True})

    @dataclasses.dataclass
    class More(Comparison):
        extra: int = 0
        train: MoreTrain = field(default_factory=MoreTrain)

    More.__name__ = "Comparison"
    old = settings_of("train.steps=7")
    values: dict[str, Any] = {f.name: getattr(old, f.name) for f in dataclasses.fields(old)}
    values["train"] = MoreTrain(**vars(old.train))
    new = More(**values)
    assert differences(new) == differences(old) == {"train.steps": 7}
    assert (config_hash(new), training_hash(new)) == (config_hash(old), training_hash(old))
    new.extra = 1
    assert config_hash(new) != config_hash(old)


@pytest.mark.parametrize(
    "word",
    [
        "name=other", "figure=sweep", "style=paper", "run.dir=elsewhere", "run.force=true", "tracker=tensorboard",
        "checkpoint.every=1", "device.require=cpu", "device.population=1", "device.episodes=1",
        "device.cache=false", "eval.chunk=5", "population.chunk=3", "sweep.fail_fast=true", "task.scale=1.0",
        "train.steps=2000", "hosts.auto=true",
    ],
)  # fmt: skip
def test_what_cannot_matter_is_no_part_of_the_name(word):
    assert config_hash(settings_of(word)) == config_hash(settings_of())
    assert training_hash(settings_of(word)) == training_hash(settings_of())


@pytest.mark.parametrize(
    "word",
    ["seed=1", "task.scale=0.5", "task=rag_dot", "train.steps=7", "device.precision=high", "seeds=2",
     "baselines.init_std=0.1", "eval.episodes=70", "eval.seed=1", "learners=[x]", "model.clip=3"],
)  # fmt: skip
def test_what_matters_is(word):
    assert config_hash(settings_of(word)) != config_hash(settings_of())


@pytest.mark.parametrize("experiment", ["deep_thinking", "icl_vs_finetune", "demonstration_choice"])
def test_the_size_of_a_block_is_where_episodes_are_drawn_by_it(experiment):
    words = [f"experiment={experiment}"]
    default: Any = compose.compose(words)
    assert config_hash(compose.compose([*words, "eval.block=7"])) != config_hash(default)
    assert config_hash(compose.compose([*words, f"eval.block={default.eval.block}"])) == config_hash(default)


@pytest.mark.parametrize("word", ["baselines.ridge_penalty=0.1", "shift.alpha=[2]", "shift.law=[normal]"])
@pytest.mark.parametrize("learners", [[], ["learners=[x]"]])
def test_what_is_used_after_training_trains_nothing(word, learners):
    plain, other = settings_of(*learners), settings_of(*learners, word)
    assert config_hash(other) != config_hash(plain)
    assert training_hash(other) == training_hash(plain)


@pytest.mark.parametrize("word", ["learners=[x]", "train.learning_rate=0.1", "seed=1", "seeds=2"])
def test_what_is_trained_is_part_of_the_training(word):
    """A learner of the user's own may have parameters, which only its code can tell."""
    assert training_hash(settings_of(word)) != training_hash(settings_of())


def test_numbers_that_are_traced_share_a_program():
    key = program_key(settings_of())
    for word in ("seed=1", "task.scale=0.5", "train.learning_rate=0.1", "baselines.ridge_penalty=0.1", "eval.seed=1"):
        assert program_key(settings_of(word)) == key, word
    for word in ("train.steps=7", "task.num_context=5", "learners=[x]", "population.chunk=1", "shift.alpha=[2]"):
        assert program_key(settings_of(word)) != key, word


@pytest.mark.usefixtures("tables")
def test_the_user_s_own_code_is(tmp_path):
    """Its content, wherever it is."""
    (tmp_path / "copy").mkdir()
    first, same, edited = (tmp_path / name for name in ("first.py", "copy/same.py", "edited.py"))
    for path, text in ((first, "x = 1\n"), (same, "x = 1\n"), (edited, "x = 2\n")):
        path.write_text(text)
    of_first, of_same, of_edited = (settings_of(f"use={path}") for path in (first, same, edited))
    for what in (config_hash, training_hash, program_key):
        assert what(of_first) == what(of_same), what
        assert len({what(of_first), what(of_edited), what(settings_of())}) == 3, what
    assert code_hash(str(first)) == code_hash(str(same))


def test_kinds_and_the_runs_that_it_starts_from_are():
    @dataclasses.dataclass
    class Another(Base):
        pass

    assert len({*map(config_hash, (Base(), Another(), Base(made_from=["0123456789"])))}) == 3
