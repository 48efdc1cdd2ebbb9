"""Every key has a sentence, which --help prints and reports show; so have the numbers of every kind (in
tests/experiments/test_every_kind.py). And one thing has one name: the same key in every kind that has it."""

import dataclasses
import inspect
import re

import pytest

from lab.config.base import Base
from lab.config.compose import compose
from lab.config.experiments import experiments
from lab.config.help import meanings
from lab.config.identity import config_hash, iter_settings, of_schema
from lab.config.kinds import FILES, KINDS, SCHEMAS
from lab.config.training import StartsFromTrained
from tasks.settings import key, positive
from tests.command_line import ran

LONGEST = 120
ALL = sorted(KINDS)
SECTIONS_OF_SCHEMAS = [schema for schemas in SCHEMAS.values() for schema in schemas.values()]


def faults(sentence: str) -> list[str]:
    """Return what is wrong with the sentence of a key or a number."""
    rules = {
        "is empty": bool(sentence),
        "has no full stop": sentence.endswith("."),
        "is too long": len(sentence) <= LONGEST,
        "begins with a space": sentence == sentence.strip(),
    }
    return [fault for fault, holds in rules.items() if not holds]


def test_keys_have_sentences():
    """Of every task and data set, and of every kind."""
    sentences = [meanings(KINDS[kind].schema, {}) for kind in KINDS]
    assert all({"seed", "run.dir", "checkpoint.every"} <= keys.keys() for keys in sentences)
    for schema in SECTIONS_OF_SCHEMAS:
        sentences.append({one.key: one.sentence for one in of_schema("schema", schema)})
    assert all(sentences)
    assert not [(key, faults(said)) for keys in sentences for key, said in keys.items() if faults(said)]


@pytest.mark.parametrize("experiment", sorted(FILES))
def test_reports_and_help_say_the_same_of_a_key(experiment):
    """`each` reads the settings that a run has, `meanings` the classes alone."""
    settings = compose([f"experiment={experiment}"])
    kind = next(kind for kind in KINDS.values() if kind.schema is type(settings))
    chosen = {name: one.value for one in iter_settings(settings) if (name := one.key) in settings.GROUPS}
    sentences = meanings(kind.schema, chosen)
    assert {one.key: one.sentence for one in iter_settings(settings)}.items() <= sentences.items()


@pytest.mark.parametrize("kind", ALL)
def test_the_keys_that_people_change_first_exist(kind):
    schema = KINDS[kind].schema
    assert "FIRST" in vars(schema)
    assert 3 <= len(schema.FIRST) <= 10
    assert len({*schema.FIRST}) == len(schema.FIRST)
    settings = [compose([f"experiment={path.stem}"]) for path in FILES.values() if path.parent.name == kind]
    there = {one.key for its in settings for one in iter_settings(its)}
    assert {*schema.FIRST} <= there
    tiny = compose([word for word in schema.TINY if word.startswith("experiment=")])
    assert len({*schema.FIRST} & {one.key for one in iter_settings(tiny)}) >= 3


@pytest.mark.parametrize(
    ("experiment", "shown", "absent"),
    [
        ("fig1", ["train.steps=2000", "whole number, >= 1"], "rounds="),
        ("plain", ["task=plain", "plain | skewed"], "rounds="),
        ("recommend", [], "baselines."),
        ("functions_tree", ["train.steps="], "rounds="),
        ("click_log", [], "baselines."),
    ],
)
def test_help_fits_80_columns_and_has_every_key_and_sentence(experiment, shown, absent, tmp_path):
    done = ran(f"experiment={experiment}", "--help", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if len(line) > 80]
    one_line = " ".join(done.stdout.split())
    assert experiments()[experiment] in one_line
    assert all(text in one_line for text in shown)
    assert absent not in one_line
    settings = compose([f"experiment={experiment}"])
    assert not [one.key for one in iter_settings(settings) if one.sentence not in one_line]
    first, rest = one_line.split("Of this experiment:")
    assert [name for name in settings.FIRST if f" {name}=" in first] == [
        name for name in settings.FIRST if name in {one.key for one in iter_settings(settings)}
    ]
    assert not [one.key for one in iter_settings(settings) if f" {one.key}=" not in f" {rest}"]
    assert rest.index(" train.steps=") < rest.index(" run.dir=")


def test_sections_have_a_first_sentence():
    for kind in KINDS.values():
        for f in dataclasses.fields(kind.schema):
            section = f.default_factory() if f.default_factory is not dataclasses.MISSING else None
            if dataclasses.is_dataclass(section):
                words = inspect.getdoc(type(section)) or ""
                assert not words.startswith(type(section).__name__ + "("), f"{type(section).__name__} has no docstring"
                assert words.split("\n\n")[0].endswith(".")


def test_a_field_that_replaces_another_inherits_its_sentence_and_not_its_limits():
    @dataclasses.dataclass
    class Longer(Base):
        seed: int = 3
        steps: int = positive(7)
        speed: float = key(1.0, "How fast it is.", unit="metres per second")

    keys = {one.key: one for one in iter_settings(Longer())}
    assert keys["seed"].sentence == "Seed of all random numbers of the run."
    assert keys["steps"].sentence == ""
    assert keys["speed"].sentence == "How fast it is. In metres per second."
    assert "at_least" not in keys["seed"].metadata


def test_the_sentence_of_a_section_is_not_that_of_its_keys():
    @dataclasses.dataclass
    class Part:
        """A part."""

        height: float = 1.0

    @dataclasses.dataclass
    class Whole(Base):
        part: Part = dataclasses.field(default_factory=Part, metadata={"sentence": "A part.", "after_training": True})

    (height,) = (one for one in iter_settings(Whole()) if one.key == "part.height")
    assert height.sentence == meanings(Whole, {})["part.height"] == ""
    assert height.metadata["after_training"]


def test_words_are_no_part_of_a_run_s_name():
    """Nor are lists shared by objects."""

    @dataclasses.dataclass
    class Said(Base):
        height: float = key(1.0, "How high.", unit="metres")
        sizes: list[list[int]] = key([[1, 2]], "Sizes.")

    @dataclasses.dataclass
    class Silent(Base):
        height: float = key(1.0)
        sizes: list[list[int]] = key([[1, 2]])

    Silent.__name__ = Silent.__qualname__ = Said.__name__
    assert config_hash(Said(height=2.0)) == config_hash(Silent(height=2.0)) != config_hash(Said())
    Said().sizes[0].append(3)
    assert Said().sizes == [[1, 2]]


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
    for name, sentence in meanings(KINDS[kind].schema, {}).items():
        for said, names in NAMES.items():
            assert not re.search(said, str(sentence)) or name in names or OF_BASELINES.fullmatch(name), (name, sentence)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_seeds_are_those_of_the_learners_that_it_starts_from(kind):
    """With another seed a run starts from learners of other seeds, and so has other results."""
    settings = KINDS[kind].schema()
    if isinstance(settings, StartsFromTrained):
        settings.seed, settings.seeds = 7, 2
        assert all({"seed=7", "seeds=2"} <= {*words} for words in settings.inputs())
