"""Texts on the command line that look like something else."""

from typing import Any

import pytest

from lab.config import compose as composing
from lab.config.override import axes


def compose(words: list[str]) -> Any:
    """The settings, of a type that its kind decides."""
    return composing.compose(words)


LANGUAGE = ["experiment=language_choice", "lm.path=x", "text.path=x.csv"]
TYPED = {  # word: the texts
    "[true,false]": ["true", "false"],
    "[True,FALSE]": ["True", "FALSE"],
    "[1e3,2_0,007,1.50,-0]": ["1e3", "2_0", "007", "1.50", "-0"],
    "[nan,inf,null]": ["nan", "inf", "null"],
    "[ 1e3 , very true ]": ["1e3", "very true"],
    "['a, true',\"1e3, b\",2_0]": ["a, true", "1e3, b", "2_0"],
    "[bad,good]": ["bad", "good"],
}


@pytest.mark.parametrize("word", TYPED)
def test_lists_of_texts_are_as_typed(word):
    assert compose([*LANGUAGE, f"text.values={word}"]).text.values == TYPED[word]


@pytest.mark.parametrize("text", ["1e3", "2_0", "true", "1.50", "name"])
def test_texts_are_as_typed_alone_and_in_a_grid(text):
    assert compose([*LANGUAGE, f"text.label={text}"]).text.label == text
    values = axes([f"text.label={text},other"])["text.label"]
    assert compose([*LANGUAGE, f"text.label={values[0]}"]).text.label == text


def test_columns_of_tables_and_logs_are_as_typed():
    words = ["data.path=x", "data.target=1e3", "data.drop=[2_0,true]"]
    data = compose(["experiment=tabular", "data=csv", *words]).data
    assert (data.target, data.drop) == ("1e3", ["2_0", "true"])
    log = compose(["experiment=recommend_log", "data=item_csv", "data.columns=[1e3,2_0,3]", "data.user=1e3"]).data
    assert (log.columns, log.user) == (["1e3", "2_0", "3"], "1e3")


def test_numbers_and_null_stay_what_they_are():
    settings = compose(["experiment=tabular", "train.steps=20", "data.dir=null"])
    assert settings.train.steps == 20
    assert settings.data.dir is None
