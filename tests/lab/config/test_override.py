"""The grammar of words, and the types that their values get."""

import dataclasses
import enum
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.config import assign, compose
from lab.config.convert import WrongType, converted
from lab.config.identity import iter_settings
from lab.config.kinds import KINDS, SCHEMAS, choices
from lab.config.override import MOST_VALUES, axes, parse, quoted
from lab.errors import ConfigError


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_in_quotes_is_itself(text):
    assert parse(f"name={quoted(text)}").value == text
    assert parse(f"grid=[{quoted(text)},x]").value == [text, "x"]
    assert parse(f"name={quoted(text)}").options == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", "3"),
        (" a b ", "a b"),
        ("", ""),
        ("[]", []),
        ("[1, 2]", ["1", "2"]),
        ("[[1],[2,3]]", [["1"], ["2", "3"]]),
        ("['a,b', \"c]\"]", ["a,b", "c]"]),
        ("{steps: 5, rate: [1]}", {"steps": "5", "rate": ["1"]}),
        ("a=b", "a=b"),
        ("it's", "it's"),
        ("C:\\data", "C:\\data"),
        ("f(1,2)", "f(1,2)"),
        ("[seed=1,seed=2]", ["seed=1", "seed=2"]),
    ],
)
def test_values(text, value):
    assert parse(f"key={text}").value == value


DEEP = "x=" + 5000 * "[" + 5000 * "]"


@pytest.mark.parametrize(
    "word", ["seed", "=3", "a b=3", "x=[1", "x=1]", "x='a", "x={a}", "x={a:1:2}", "x='a' 'b", "-x=1", DEEP]
)
def test_what_is_not_understood(word):
    with pytest.raises(ConfigError, match="not understood"):
        parse(word)


def test_several_values():
    words = ["seed=range(0,7,3)", "task.scale=0.5, 1", "data='a,b',c", "shift.alpha=[1,2],[3]"]
    assert axes(words) == {"seed": ["0", "3", "6"], "task.scale": ["0.5", "1"], "data": ["'a,b'", "c"],
                           "shift.alpha": ["[1,2]", "[3]"]}  # fmt: skip


@pytest.mark.parametrize(
    "numbers", ["0,10000000000", "5,1", "0,1,0", "1", "0,1e9", f"0,{MOST_VALUES + 1}", "9" * 5000 + ",1"]
)
def test_a_range_is_bounded(numbers):
    with pytest.raises(ConfigError, match="range"):
        parse(f"seed=range({numbers})")


class Letter(enum.Enum):
    a = "x"


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        ("7", int, 7),
        ("-7", int, -7),
        ("7", float, 7.0),
        ("1e3", float, 1000.0),
        ("-.5", float, -0.5),
        ("true", bool, True),
        ("true", str, "true"),
        ("1e3", str, "1e3"),
        ("2_0", str, "2_0"),
        ("null", int | None, None),
        ("3", int | None, 3),
        ("a", Letter, Letter.a),
        (["1", "2"], list[float], [1.0, 2.0]),
        ({"x": ["1"]}, dict[str, list[str]], {"x": ["1"]}),
    ],
)
def test_a_text_gets_the_type_of_its_key(value, annotation, expected):
    result = converted(value, annotation)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [("1.0", int), ("1e3", int), ("1_000", int), ("\uff11", int), ("", int), ("true", int), ("1_0", float),
     ("x", float), ("1", bool), ("x", Letter), ("1", list[int]), (["x"], list[int]), ("null", str),
     ("null", int), (["1"], str), ("9" * 5000, int)]
)  # fmt: skip
def test_a_text_of_another_type_is_refused(value, annotation):
    with pytest.raises(WrongType):
        converted(value, annotation)


def every_choice():
    """The words that choose each kind, and each schema once, with a kind that allows it."""
    yield from ([f"kind={kind}"] for kind in KINDS)
    for key, schemas in SCHEMAS.items():
        for name in schemas:
            allowing = [kind for kind, one in KINDS.items() if key in one.schema.GROUPS]
            kind = next((kind for kind in allowing if name in choices(KINDS[kind].schema, key)), None)
            yield from [[f"kind={kind}", f"{key}={name}"]] * (kind is not None)


def other_values(node, prefix=""):
    """{key: (text, value)} that give every number, truth value, text and choice another value."""
    for field in dataclasses.fields(node):
        value: typing.Any = getattr(node, field.name)
        key, annotation = f"{prefix}{field.name}", assign.hints(type(node))[field.name]
        types = () if isinstance(value, list | dict) else typing.get_args(annotation) or (annotation,)
        if dataclasses.is_dataclass(value):
            yield from other_values(value, f"{key}.")
        elif (prefix and field.name == "name") or key == "size":
            continue
        elif bool in types:
            yield key, (str(not value).lower(), not value)
        elif int in types or float in types:
            number = int(value or 0) + 3
            yield key, (str(number), number)
        elif str in types:
            yield key, (f"'other, {value}'", f"other, {value}")
        else:
            enums = [one for one in types if isinstance(one, type) and issubclass(one, enum.Enum)]
            yield from ((key, ([*one][-1].name, [*one][-1].name)) for one in enums)


@pytest.mark.parametrize("choice", [*every_choice()], ids=" ".join)
def test_a_word_sets_its_key_and_no_other(choice):
    values = dict(other_values(compose.settings_of(choice)))
    before = {one.key: one.value for one in iter_settings(compose.settings_of(choice))}
    assert len(values) > 5
    for key, (text, value) in values.items():
        after = {one.key: one.value for one in iter_settings(compose.settings_of([*choice, f"{key}={text}"]))}
        assert after == before | {key: value}


def test_the_second_word_counts_and_a_section_is_its_keys():
    words = ["experiment=plain", "train={steps: 5, warmup: 0.25}", "seed=1", "train.steps=7", "seed=2"]
    settings: typing.Any = compose.compose(words)
    assert (settings.seed, settings.train.steps, settings.train.warmup) == (2, 7, 0.25)


def test_parts_are_added_replaced_and_removed():
    settings = compose.compose(
        ["experiment=fig2", "+parts.own=['seed=1']", "~parts.sigma", "parts.rag_dot=[task=rag_dot]"]
    )
    assert [*settings.parts] == ["rag_linear", "rag_dot", "own"]
    assert settings.parts["own"] == ["seed=1"]
    assert compose.compose(["experiment=fig2", "~parts"]).parts == {}


def test_words_of_a_size_are_checked_as_those_of_a_command_line():
    words = ["experiment=plain", "+other_sizes.two=['seed=1,2']", "size=two"]
    with pytest.raises(ConfigError, match="seed=1,2: several values are a sweep"):
        compose.compose(words)


LANGUAGE = ["experiment=language_choice", "lm.path=x", "text.path=x.csv"]
TYPED = {  # word: the texts
    "[true,false,nan,inf,null]": ["true", "false", "nan", "inf", "null"],
    "[1e3,2_0,007,1.50,-0]": ["1e3", "2_0", "007", "1.50", "-0"],
    "[ 1e3 , very true ]": ["1e3", "very true"],
    "['a, true',\"1e3, b\",2_0]": ["a, true", "1e3, b", "2_0"],
}


@pytest.mark.parametrize("word", TYPED)
def test_texts_are_as_typed(word):
    """In a list, alone, and in a grid."""
    settings: typing.Any = compose.compose([*LANGUAGE, f"text.values={word}"])
    assert settings.text.values == TYPED[word]
    for text in (text for text in TYPED[word] if "," not in text and text != "null"):
        for value in (text, axes([f"text.label={text},other"])["text.label"][0]):
            settings = compose.compose([*LANGUAGE, f"text.label={value}"])
            assert settings.text.label == text


def test_columns_of_tables_and_logs_are_as_typed():
    words = ["data.path=x", "data.target=1e3", "data.drop=[2_0,true]"]
    data: typing.Any = compose.compose(["experiment=tabular", "data=csv", *words]).data
    assert (data.target, data.drop, data.dir) == ("1e3", ["2_0", "true"], None)
    words = ["data.columns=[1e3,2_0,3]", "data.user=1e3"]
    log: typing.Any = compose.compose(["experiment=recommend_log", "data=item_csv", *words]).data
    assert (log.columns, log.user) == (["1e3", "2_0", "3"], "1e3")
