"""Words that are set without Hydra: the settings are the same as by Hydra, in every key of every kind."""

import dataclasses
import enum
import typing

import pytest

from experiments import kinds
from lab.config import checks, compose, configuration, points
from lab.config.experiments import experiments
from lab.config.kinds import KINDS, SCHEMAS, choices
from lab.config.single_values import are_set, divided, hints
from lab.errors import ConfigError
from tasks.datasets.table import DataError

compose.register()


def by_hydra(words):
    return configuration.typed(configuration.configuration(list(words)))


def every_choice():
    """The words that choose each kind, and each schema once, with a kind that allows it."""
    yield from ([f"kind={kind}"] for kind in kinds())
    for key, schemas in SCHEMAS.items():
        for name in schemas:
            allowing = [kind for kind, each in KINDS.items() if key in each.schema.GROUPS]
            kind = next((kind for kind in allowing if name in choices(KINDS[kind].schema, key)), None)
            yield from [[f"kind={kind}", f"{key}={name}"]] * (kind is not None)


def other_values(node, prefix=""):
    """Words that give every number, truth value, text and choice another value; numbers of type float a whole one."""
    for field in dataclasses.fields(node):
        value: typing.Any = getattr(node, field.name)
        key, annotation = f"{prefix}{field.name}", hints(type(node))[field.name]
        types = () if isinstance(value, list | dict) else typing.get_args(annotation) or (annotation,)
        if dataclasses.is_dataclass(value):
            yield from other_values(value, f"{key}.")
        elif bool in types:
            yield f"{key}={str(not value).lower()}"
        elif int in types or float in types:
            yield f"{key}={int(typing.cast(float, value or 0)) + 3}"
        elif str in types and key not in ("size", "use") and not (prefix and field.name == "name"):
            yield f"{key}='other, {value}'"
        else:
            enums = [one for one in types if isinstance(one, type) and issubclass(one, enum.Enum)]
            yield from (f"{key}={[*one][-1].name}" for one in enums)


@pytest.mark.parametrize("choice", [*every_choice()], ids=" ".join)
def test_every_key_is_set_as_by_hydra(choice):
    """The texts of settings are compared, as 3 equals 3.0."""
    settings = by_hydra(choice)
    words = [*other_values(settings)]
    rest, values = divided([*choice, *words])
    assert rest == choice
    assert len(values) == len(words) > 5
    assert are_set(settings, values)
    assert repr(settings) == repr(by_hydra([*choice, *words]))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*experiments()])
def test_points_of_sweeps_are_what_hydra_makes_of_their_words(name):
    """The first and the last one, and the experiment itself, checked."""
    try:
        runs = points.point([f"experiment={name}"]).runs
    except DataError:  # its data are not here
        runs = []
    for words in {(f"experiment={name}",), *(tuple(point.words) for point in (*runs[:1], *runs[-1:]))}:
        assert repr(compose.compose(list(words))) == repr(checks.check(by_hydra(words)))


@pytest.mark.parametrize(
    "words",
    [
        ["seed=1", "seed=2"],
        ["train.steps=5", "task=rag_dot", "task.scale=2", "seed=3"],
        ["task=rag_dot", "task.scale=1e-2", "~parts"],
        ["run.dir='a, b'", "name=x", "figure=''"],
        ["experiment=rag_dot", "name=rag_linear"],
    ],
)
def test_words_together(words):
    assert repr(compose.compose(words)) == repr(checks.check(by_hydra(words)))
    assert compose._with_single_values(tuple(words), ()) is not None


@pytest.mark.parametrize(
    ("word", "more"),
    [
        ("seed=1.0", []),
        ("seed=true", []),
        ("seed=null", []),
        ("name=5", []),
        ("name=${run.dir}", []),
        ("+seed=1", []),
        ("train={steps: 5}", ["train.steps=7"]),
        ("grid=['seed=1,2']", []),
        ("size=full", []),
        ("task.name=rag_linear", ["task=rag_dot"]),
        ("train=5", []),
        ("seeds.x=5", []),
        ("train.step=5", []),
    ],
)
def test_what_hydra_has_to_say_is_left_to_it(word, more):
    """A word that has another type, is no plain value, or concerns a key of another word."""
    rest, values = divided([*more, word])
    left = word in rest or not are_set(by_hydra([each for each in rest if each != word]), values)
    assert left
    if more and "{" in word:
        assert rest == [*more, word], "the order of such words counts"


@pytest.mark.parametrize(
    "words", [["train.steps=-1"], ["seed=-1"], ["seed=99999999999"], ["run.dir=' '"], ["name=a/b"]]
)
def test_errors_of_values_are_the_same(words):
    with pytest.raises(ConfigError) as by_both:
        compose.compose(["experiment=plain", *words])
    with pytest.raises(ConfigError) as without:
        checks.check(by_hydra(["experiment=plain", *words]))
    assert str(by_both.value) == str(without.value)


def test_hydra_is_asked_once_for_words_that_differ_in_values(monkeypatch):
    composed = []
    monkeypatch.setattr(
        configuration,
        "_hydra_compose",
        lambda words, ask=configuration._hydra_compose: composed.append(words) or ask(words),
    )
    compose._composed_once.cache_clear()
    compose._typed_once.cache_clear()
    for steps in range(1, 6):
        settings: typing.Any = compose.compose(["experiment=rag_dot", f"train.steps={steps}"])
        assert settings.train.steps == steps
    assert composed == [["experiment=rag_dot"]]
