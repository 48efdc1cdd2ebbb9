"""Labelled texts: files of every sort, templates, orders, and the data sets of two sources by name."""

import json
import sys
import types
from typing import Any

import pytest

from tasks.datasets.cells import LONGEST
from tasks.errors import DataError
from tasks.texts import order
from tasks.texts.form import Item
from tasks.texts.known import KNOWN
from tasks.texts.read import files_of, fill_in, form_of, read
from tasks.texts.settings import Answer, Draw, Texts

ROWS = [{"text": f"text number {i}, with a comma", "label": i % 2} for i in range(12)]
REVIEW = "Review: {query}\\nSentiment: {label}"


def written(path, rows):
    """Write rows into a file by its suffix."""
    if path.suffix == ".jsonl":
        text = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        quote = (lambda cell: f'"{cell}"') if mark == "," else str
        text = "\n".join(mark.join(map(quote, line)) for line in [[*rows[0]], *([*row.values()] for row in rows)])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_files_of_every_sort_give_the_same_prompts(suffix, tmp_path):
    settings = Texts(
        path=str(written(tmp_path / f"test{suffix}", ROWS)),
        train=str(written(tmp_path / f"train{suffix}", ROWS)),
        template=REVIEW,
        labels=["bad", "good"],
    )
    labelled = read(settings)
    assert labelled.words == ("bad", "good")
    assert len(labelled.train) == len(labelled.test) == 12
    item = labelled.test[3]
    assert item == Item("Review: text number 3, with a comma\nSentiment:", (" bad", " good"), 1, 3)
    assert item.shown == "Review: text number 3, with a comma\nSentiment: good"


def test_parquet_is_read_by_pyarrow_or_refused_without_it(tmp_path, monkeypatch):
    """pyarrow is no dependency; its reader is replaced by one that gives the rows."""
    path = tmp_path / "test.parquet"
    path.write_bytes(b"PAR1")
    settings = Texts(path=str(path), labels=["bad", "good"], template=REVIEW)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match="needs pyarrow"):
        read(settings)
    table = types.SimpleNamespace(read_table=lambda path: types.SimpleNamespace(to_pylist=lambda: ROWS))
    stand_in = types.SimpleNamespace(parquet=table, ArrowException=ValueError)
    monkeypatch.setitem(sys.modules, "pyarrow", stand_in)
    assert sorted(item.row for part in (read(settings).train, read(settings).test) for item in part) == [*range(12)]

    def damaged(path):
        raise ValueError("magic bytes not found\nand more")

    table.read_table = damaged
    with pytest.raises(DataError, match=r"damaged, or no parquet file \(magic bytes not found\)$"):
        read(settings)


def test_one_file_is_halved_and_the_halves_share_no_row(tmp_path):
    labelled = read(Texts(path=str(written(tmp_path / "mine.csv", ROWS)), template=REVIEW))
    rows = [[item.row for item in part] for part in (labelled.train, labelled.test)]
    assert sorted(rows[0] + rows[1]) == [*range(12)]
    assert labelled.words == ("0", "1")
    assert "6 of 12 rows are demonstrated" in labelled.notes[0]


def test_words_follow_the_values_in_the_order_of_the_settings(tmp_path):
    rows = [{"text": "a", "label": "neg"}, {"text": "b", "label": "pos"}, {"text": "c", "label": "pos"}]
    path = str(written(tmp_path / "a.jsonl", rows))
    settings = Texts(path=path, train=path, values=["pos", "neg"], labels=["good", "bad"], template="{query}:{label}")
    items = read(settings).test
    assert [item.right for item in items] == [1, 0, 0]
    assert items[0] == Item("a:", ("good", "bad"), 1, 0)


def test_labels_that_are_the_words_themselves_keep_their_meaning(tmp_path):
    """In whatever order the words are given; sorted, `person` would be the second of the values and the first word."""
    rows = [{"text": each, "label": each} for each in ("person", "place", "number")]
    path = str(written(tmp_path / "a.jsonl", rows))
    items = read(Texts(path=path, train=path, labels=["person", "place", "number"])).test
    assert [item.answers[item.right].strip() for item in items] == ["person", "place", "number"]


def test_numbers_are_sorted_as_numbers_and_whole_floats_are_whole_numbers(tmp_path):
    rows = [{"text": "a", "label": 10.0}, {"text": "b", "label": 2}, {"text": "c", "label": 2.0}]
    path = str(written(tmp_path / "a.jsonl", rows))
    assert read(Texts(path=path, train=path)).words == ("2", "10")


CB = {"premise": "It rained.", "hypothesis": "it was wet", "label": "contradiction"}
NESTED = {"question": {"stem": "Stars are", "choices": [{"text": "balls of gas", "label": "A"},
          {"text": "birds", "label": "B"}]}, "answerKey": "A"}  # fmt: skip
FLAT = {"question_stem": "Stars are", "choices": {"text": ["birds", "balls of gas"], "label": ["A", "B"]},
        "answerKey": "B"}  # fmt: skip
CASES = {  # data set: (row, what is shown, the answers, as the sources' programs have them)
    "sst2": ({"sentence": "fine ", "label": 1}, "Review: fine\nSentiment: positive", 2),
    "sst5": ({"text": "fine", "label": 4}, "Review: fine\nSentiment: great", 5),
    "mr": ({"text": "dull", "label": 0}, "Review: dull\nSentiment: negative", 2),
    "trec": ({"text": "Who ?", "coarse_label": 3}, "Question: Who ?\nType: Person", 6),
    "agnews": ({"text": "Goal!", "label": 1}, "Article: Goal!\nCategory: Sports", 4),
    "copa": ({"premise": "The sun rose.", "question": "effect", "choice1": "It was light.", "choice2": "No.",
              "label": 0}, "The sun rose therefore It was light.", 2),
    "openbookqa": (FLAT, "Stars are balls of gas.", 2),
    "winogrande": ({"sentence": "The cup and the bag: _ was full.", "option1": "cup", "option2": "bag", "answer": "2"},
                   "The cup and the bag: bag was full.", 2),
    "qasc": ({"question": "What?", "choices": {"text": ["beads", "wax"], "label": ["A", "B"]}, "answerKey": "A"},
             "What? beads", 2),
    "hellaswag": ({"ctx": "A man", "endings": ["sits.", "flies."], "label": "1"}, "A man flies.", 2),
    "dai_sst2": ({"sentence": "fine", "label": 0}, "Sentence: fine Label: Negative", 2),
    "dai_sst5": ({"text": "fine", "label": 1}, "Sentence: fine Label: bad", 5),
    "dai_mr": ({"text": "fine", "label": 1}, "Review: fine Sentiment: Positive", 2),
    "dai_subj": ({"text": "fine", "label": 1}, "Input: fine Type: subjective", 2),
    "dai_agnews": ({"text": "Goal!", "label": 3}, "Classify the news articles into the categories of World, Sports, "
                   "Business, and Technology. Article: Goal! Answer: Technology", 4),
    "dai_cb": (CB, "It rained. Question: it was wet. True, False, or Neither? Answer: False", 3),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_data_set_is_as_its_source_has_it(name, tmp_path):
    row, expected, answers = CASES[name]
    split = {"train_xs": "train_xs"}.get(KNOWN[name].train, "train")
    for stem in (split, KNOWN[name].split):
        written(tmp_path / f"{stem}.jsonl", [row])
    (item,) = read(Texts(dataset=name, path=str(tmp_path))).test
    assert item.shown == expected
    assert len(item.answers) == answers
    assert not item.prompt.endswith(" ")
    assert all(answer.startswith(" ") and not answer.startswith("  ") for answer in item.answers)


def test_an_answer_scores_what_follows_it():
    form = KNOWN["winogrande"]
    item = form.item(CASES["winogrande"][0], (), 0, "")
    assert item.prompt == "The cup and the bag:"
    assert item.answers == (" cup was full.", " bag was full.")


def test_nested_questions_are_read_as_flat_ones():
    flat, nested = (KNOWN["openbookqa"].item(row, (), 0, "") for row in (FLAT, NESTED))
    assert flat.shown == nested.shown


def test_a_folder_may_hold_parts_below_the_name_of_the_set(tmp_path):
    for number in (0, 1):
        written(tmp_path / "sst2" / f"train-0000{number}-of-00002.jsonl", [{"sentence": "a", "label": number}])
    written(tmp_path / "sst2" / "dev.jsonl", [{"sentence": "b", "label": 0}])
    settings = Texts(dataset="sst2", path=str(tmp_path))
    fill_in(settings)
    assert len(settings.sha256) == 2, "one for each split"
    labelled = read(settings)
    assert [item.right for item in labelled.train] == [0, 1]
    (tmp_path / "sst2" / "dev.jsonl").write_text('{"sentence": "c", "label": 0}')
    with pytest.raises(DataError, match="other ones than"):
        fill_in(settings)


def test_own_answers_in_columns(tmp_path):
    rows = [{"q": "2 + 2 =", "a": "3", "b": "4", "label": "B"}, {"q": "1 + 1 =", "a": "2", "b": "5", "label": "A"}]
    path = str(written(tmp_path / "own.csv", rows))
    settings = Texts(
        path=path, train=path, query="q", choices=["a", "b"], values=["A", "B"], template="{query} {choice}!"
    )
    assert [item.shown for item in read(settings).test] == ["2 + 2 = 4!", "1 + 1 = 2!"]
    assert read(settings).words == ()


ITEMS = [Item(f"{row}", (" a", " b", " c"), row % 3, row) for row in range(60)]


def test_sets_are_those_of_any_other_machine():
    """Computed once with hashlib alone: the first two rows of each class by the SHA-256 of name/draw, seed and row."""
    import hashlib

    def digest(what, row):
        return hashlib.sha256(f"mine/{what}\n7\n{row}".encode()).hexdigest()

    by_hand = [
        row for label in range(3) for row in sorted(range(label, 60, 3), key=lambda row: digest("draw", row))[:2]
    ]
    by_hand.sort(key=lambda row: digest("shown", row))
    assert order.demonstrations(ITEMS, "mine", 7, Draw.per_class, 2) == by_hand


def test_sets_differ_by_seed_and_by_name_and_have_each_class():
    sets = [order.demonstrations(ITEMS, name, seed, Draw.per_class, 4) for name in "ab" for seed in range(5)]
    assert len({tuple(each) for each in sets}) == 10
    for each in sets:
        assert sorted(ITEMS[place].right for place in each) == [0] * 4 + [1] * 4 + [2] * 4
        assert [ITEMS[place].right for place in each] != [0] * 4 + [1] * 4 + [2] * 4, "not class by class"


def test_random_sets_grow_at_their_end_and_are_not_balanced():
    few, many = (order.demonstrations(ITEMS, "a", 0, Draw.random, count) for count in (5, 30))
    assert many[:5] == few
    assert len({*many}) == 30
    counts = [sum(ITEMS[place].right == right for place in many) for right in range(3)]
    assert counts != [10, 10, 10]


def test_validation_rows_are_none_of_the_demonstrations():
    shown = order.demonstrations(ITEMS, "a", 3, Draw.per_class, 5)
    chosen = order.others(ITEMS, shown, "a", 3, 100)
    assert sorted([*shown, *chosen]) == [*range(60)]


def test_a_sample_of_the_test_is_the_same_for_all_sets_and_in_order():
    rows = [item.row for item in order.sample(ITEMS, "a", 20)]
    assert rows == sorted({*rows})
    assert len(rows) == 20
    assert order.sample(ITEMS, "a", 0) == order.sample(ITEMS, "a", 100) == ITEMS


@pytest.mark.parametrize(("room", "count"), [(0, 0), (4, 0), (5, 1), (11, 1), (12, 2), (100, 3)])
def test_demonstrations_that_do_not_fit_are_left_out_whole(room, count):
    assert order.fitting([5, 12, 20], room) == count


# {case: (name of the file, its bytes, further settings, what the line says)}
BROKEN: dict[str, tuple[str, bytes, dict[str, Any], str]] = {
    "no such column": ("a.csv", b"txt,label\nx,0\ny,1\n", {}, "no column text; text.query=NAME: txt, label"),
    "no column of labels": ("a.csv", b"text,lab\nx,0\ny,1\n", {}, "no column label"),
    "an empty text": ("a.csv", b"text,label\nx,0\n,1\n", {"train": "self"}, "row 2: text is empty"),
    "an empty label": ("a.jsonl", b'{"text": "x", "label": null}\n', {}, "label is empty"),
    "a nested text": ("a.jsonl", b'{"text": ["x"], "label": 0}\n{"text": "y", "label": 1}\n', {}, "text is no text"),
    "hidden labels": ("a.csv", b"text,label\nx,-1\ny,-1\n", {"values": ["0", "1"]}, "a split without labels"),
    "a short row": ("a.csv", b"text,label\nx\n", {}, "line 2 has 1 cells, the header has 2"),
    "an open quote": ("a.csv", b'text,label\n"x,0\ny,1\n', {}, "line 3 has 1 cells"),
    "a name twice": ("a.csv", b"text,text\nx,0\n", {}, "two columns are called 'text'"),
    "no rows": ("a.csv", b"text,label\n", {}, "it has no rows"),
    "nothing": ("a.jsonl", b"", {}, "it has no rows"),
    "not text": ("a.csv", b"text,label\n\xff\xfe,0\n", {}, "not text in UTF-8"),
    "a null sign": ("a.csv", b"text,label\nx\x00,0\n", {}, "."),
    "a cell without end": ("a.csv", b'text,label\n"' + (b"x" * 999 + b"\n") * 17_000, {}, "no row of a table"),
    "a line without end": ("a.csv", b"text,label\n" + b"x" * (LONGEST + 1), {}, "a line has more than 16,777,216"),
    "JSON without end": ("a.jsonl", b'{"text": "' + b"x" * LONGEST, {}, "a line has more than 16,777,216"),
    "no number": ("a.jsonl", b'{"text": "x", "label": NaN}\n{"text": "y", "label": 1}\n', {}, "row 1: label is empty"),
    "no words": ("a.jsonl", b'{"text": NaN, "label": 0}\n{"text": "y", "label": 1}\n', {}, "text is empty"),
    "an empty answer": ("a.jsonl", b'{"ctx": "x", "endings": ["a", null], "label": 0}\n', {"dataset": "hellaswag"},
                        "row 1: an answer is empty"),
    "a code for a number": ("a.jsonl", b'{"ctx": "x", "endings": ["a", "b"], "label": "0_1"}\n',
                            {"dataset": "hellaswag"}, "label is 0_1, and no whole number"),
    "broken JSON": ("a.jsonl", b'{"text": "x", "label": 0}\n{"text": \n', {}, "line 2 is no JSON"),
    "JSON without names": ("a.jsonl", b"[1, 2]\n", {}, "line 1 is no object"),
    "deep JSON": ("a.jsonl", b"[" * 100_000, {}, "line 1 is no JSON"),
    "one class": ("a.csv", b"text,label\nx,0\ny,0\n", {}, "the value 0 alone"),
    "too few words": ("a.csv", b"text,label\nx,0\ny,1\nz,2\n", {"labels": ["a", "b"]}, "2 words for the 3 values"),
    "words twice": ("a.csv", b"text,label\nx,0\ny,1\n", {"labels": ["a", "a"]}, "two classes have one word"),
    "as many classes as rows": (
        "a.csv", b"text,label\n" + b"".join(b"x,%d\n" % i for i in range(300)), {}, "label has .* values; at most 200",
    ),
    "a template without a place": ("a.csv", b"text,label\nx,0\n", {"template": "{query}"}, "must have {label}"),
    "a template of choices": ("a.csv", b"text,label\nx,0\n", {"template": "{choice}"}, "must have {label}"),
    "an unknown place": ("a.csv", b"text,label\nx,0\ny,1\n", {"template": "{title}: {label}"}, "no column title"),
    "words for own answers": ("a.csv", b"a,b,label\nx,y,0\n", {"choices": ["a", "b"], "labels": ["a", "b"]}, "leave"),
    "one own answer": ("a.csv", b"a,b,label\nx,y,0\n", {"choices": ["a"]}, "at least two"),
    "a wrong own answer": (
        "a.csv", b"text,a,b,label\nq,x,y,7\nq,x,y,0\n", {"choices": ["a", "b"]}, "label is 7, text.values allows 0, 1",
    ),
    "a suffix": ("a.txt", b"text\n", {}, "unknown suffix; allowed: .parquet, .jsonl"),
    "no such set": ("a.csv", b"text,label\nx,0\n", {"dataset": "sst3"}, "no such data set; allowed: sst2"),
    "another set": ("a.csv", b"text,label\nx,0\ny,1\n", {"dataset": "copa"}, "there is no premise"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_broken_is_one_clear_line(case, tmp_path):
    name, contents, options, expected = BROKEN[case]
    path = tmp_path / name
    path.write_bytes(contents)
    changed: dict[str, Any] = {key: str(path) if value == "self" else value for key, value in options.items()}
    if case == "a null sign":  # an ordinary sign of a text for Python's reader
        changed |= {"train": str(path), "values": ["0", "1"]}
        assert len(read(Texts(path=str(path), **changed)).test) == 1
        return
    with pytest.raises(DataError, match=expected) as error:
        read(Texts(path=str(path), **changed))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400 + len(str(path))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "text.path=FILE is not given"),
        ({"path": "nosuch.csv"}, "no such file or folder"),
        ({"path": "."}, "no file of the split test; it is called test"),
        ({"path": ".", "dataset": "winogrande"}, "no file of the split validation; it is called validation, valid"),
        ({"path": "here.csv", "train": "nosuch.csv"}, "text.train=nosuch.csv: no such file"),
    ],
)
def test_files_that_are_not_there_are_named(options: dict[str, Any], expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.csv").write_text("text,label\n")
    with pytest.raises(DataError, match=expected):
        files_of(Texts(**options))


@pytest.mark.parametrize(("options", "expected"), [
    ({"dataset": "copa"}, "rows have answers of their own; allowed: sum, mean"),
    ({"template": "{query} {label} it is"}, "needs words of its own"),
])  # fmt: skip
def test_calibration_needs_classes_and_a_prompt_without_a_text(options: dict[str, Any], expected):
    form_of(Texts(**options))
    with pytest.raises(DataError, match=expected):
        form_of(Texts(**options, answer=Answer.calibrated))


def test_settings_change_the_form_of_a_known_set_and_write_the_end_of_a_line():
    assert form_of(Texts(template="a {query}\\n{label}", separator="\\n")).template == "a {query}\n{label}"
    assert form_of(Texts(separator="\\n")).separator == "\n"
    assert form_of(Texts(dataset="dai_cb")).separator == "{end}"
    assert form_of(Texts(dataset="sst2", examples=4)).examples == 4
