"""The pages of docs/findings are those of the kept tables: a number that changes there names the pages to make anew."""

import html.parser
import pathlib
import re
import shutil

import pytest
from PIL import Image

from analysis import figures
from analysis.findings import answer, matrix, page, sources, words, write
from analysis.findings.kept import Kept, fingerprint
from analysis.report import publish
from lab.errors import UserError
from tests.analysis.runs import RESULTS, judged
from tests.command_line import ROOT

DOCS = ROOT / "docs"
FINDINGS = DOCS / "findings"
PICTURES = sorted((FINDINGS / page.PICTURES).glob("*.png"))
OF_PROGRAMS = {"accelerator", "decoder_speed", "speed"}  # claims on this lab's programs, told in docs/speed.md
AGAIN = "run `make findings`"


@pytest.fixture(scope="module")
def claims():
    return publish.everything(judged())


@pytest.fixture(scope="module")
def texts(claims):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publish, "judged", lambda folder: {})
        patch.setattr(publish, "everything", lambda judged: claims)
        return write.texts(DOCS)


def test_the_pages_are_those_of_the_tables(texts):
    """Each page is compared alone, so that a table that has changed names its page."""
    written = {name: (ROOT / name).read_text(encoding="utf-8") for name in texts}
    changed = [name for name, text in texts.items() if written[name] != text]
    assert not changed, f"{', '.join(changed)} and the kept tables differ: {AGAIN}"
    made = {name for name in texts if name.startswith("docs/findings/")}
    assert {f"docs/findings/{path.name}" for path in FINDINGS.iterdir() if path.suffix in (".md", ".html")} == made


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
def test_a_picture_is_that_of_the_tables(picture):
    with Image.open(picture) as image:
        names = answer.FIGURES if picture.stem == answer.NAME else [picture.stem]
        assert image.info[write.TABLES] == fingerprint(*(RESULTS / name for name in names)), (
            f"{picture} is an old one: {AGAIN}"
        )


def test_what_the_front_page_says_of_its_picture_is_true():
    """It is written by hand."""
    rows = {
        (folder, part): answer.of_part(RESULTS, folder, part)
        for folder, (_, parts) in answer.SHOWN.items()
        for part in parts
    }
    above = {place: answer.by_seed(of_part) for place, of_part in rows.items()}
    for folder in ("softmax_heads", "layer_norm"):
        assert next(iter(answer.SHOWN[folder][1])) == "linear"
        assert min(min(values) for place, values in above.items() if place[0] == folder and place[1] != "linear") > 0
    on_the_plateau = {place: sum(value > 0.8 for value in values) for place, values in above.items()}
    assert {place: count for place, count in on_the_plateau.items() if count} == {
        ("softmax_heads", "linear"): 1,
        ("softmax_heads", "softmax_1"): 9,
        ("softmax_heads", "softmax_2"): 1,
    }
    without_documents = [("fig1", "plain"), ("layer_norm", "linear"), ("softmax_heads", "linear")]
    assert sum(len(above[place]) for place in without_documents) == 80
    two_heads = above["softmax_heads", "softmax_2"]
    assert sum(value < 0.06 for value in two_heads) > len(two_heads) / 2
    for place in ((folder, part) for folder, part in above if folder in answer.SEVERAL_LAYERS):
        assert max(above[place]) < 0
        over = [value - best for value, best in zip(above[place], _of_gd_plus_plus(rows[place]), strict=True)]
        assert min(over) > 0
        assert place[0] == "stacks" or max(over) < 0.05, "near GD++ with one pair of rates"


def _of_gd_plus_plus(rows):
    return [*answer.excess(rows, answer.GD_PLUS_PLUS).by_seed.values()]


def test_a_number_that_changes_in_a_table_changes_the_page(tmp_path, claims):
    """By its fingerprint, whether or not a claim is about the number."""
    folder = tmp_path / "results"
    for figure in claims:
        if (RESULTS / figure).is_dir():
            (folder / figure).mkdir(parents=True)
            shutil.copy(RESULTS / figure / "made_by.txt", folder / figure)
            for table in (RESULTS / figure).glob("*.csv"):
                (folder / figure / table.name).symlink_to(table)
    of_vo23 = next(source for source in sources.read(FINDINGS) if source.name == "vo23")
    before = page.page(of_vo23, claims, folder, [])
    table = folder / "stacks" / "curves.csv"
    text = table.read_text()
    table.unlink()
    table.write_text(text[:-2] + str((int(text[-2]) + 1) % 10) + text[-1])
    assert page.page(of_vo23, claims, folder, []) != before


def test_twice_gives_the_same_bytes(tmp_path):
    pictures = [tmp_path / name for name in ("first.png", "second.png")]
    for picture in pictures:
        write.draw("retrieval_cost", RESULTS / "retrieval_cost", picture)
    first, second = (picture.read_bytes() for picture in pictures)
    assert first == second


def test_what_the_tables_do_not_have_is_not_drawn(tmp_path):
    picture = tmp_path / "decoder.png"
    picture.write_bytes(b"an old one")
    write.draw("decoder", RESULTS / "decoder", picture)
    assert not picture.exists()


def test_a_point_of_kept_tables_has_its_rows_alone():
    points = Kept(RESULTS / "fig1").points()
    assert [*points] == ["plain", "rag_linear", "rag_dot"]
    rows = points["rag_dot"].read_table("curves")
    assert {row["part"] for row in rows} == {"rag_dot"}
    assert 0 < len(rows) < len(Kept(RESULTS / "fig1").read_table("curves"))


def test_every_claim_is_on_a_page(claims):
    """Those of a source on the source's page, those of this lab on the page of one source or of one question."""
    there = sources.read(FINDINGS)
    works = {source.work for source in there}
    own = [figure for source in there for figure in source.own]
    own += [figure for question in sources.read_questions(FINDINGS) for figure in question.figures]
    assert len(own) == len({*own}), "a figure is on one page"
    assert {*own} <= {*figures.names()}
    for figure, group in claims.items():
        for claim in group:
            assert claim["work"] in works or figure in {*own, *OF_PROGRAMS}, (figure, claim)


def test_what_is_new_rests_on_claims(claims):
    for finding in sources.read_new(FINDINGS):
        assert finding.claims
        for figure, beginnings in finding.claims.items():
            for beginning in beginnings:
                named = [claim for claim in claims[figure] if claim["statement"].startswith(beginning)]
                assert named, f"docs/findings/new.yaml: no claim of {figure} begins with {beginning!r}"
        assert (DOCS / finding.page).exists()


def test_pictures_are_small_enough_to_be_kept():
    assert PICTURES
    assert sum(picture.stat().st_size for picture in PICTURES) < 4e6


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (4.426e-05, 0.00022, "0.0000 ± 0.0002"),
        (-0.00004, 0.0002, "0.0000 ± 0.0002"),
        (0.731034, 0.01238, "0.731 ± 0.012"),
        (41.84, 13.2, "42 ± 13"),
        (0.99981166, 7.504e-06, "0.999812 ± 0.000008"),
        (0.5, 0.0197, "0.50 ± 0.02"),
        (1.185, None, "1.19"),
        (0.15101170, None, "0.151"),
        (12345.6, None, "12346"),
        (6.319e-16, None, "6e-16"),
        (0.0, None, "0"),
    ],
)
def test_numbers_are_rounded_by_their_errors(value, error, text):
    assert words.rounded(value, error) == text


def test_a_relative_difference_is_in_per_cent():
    assert words.in_words("5 examples: error / that of nearest - 1", -0.8868, 0.0027) == (
        "5 examples: error is 88.7 ± 0.3% below that of nearest"
    )
    assert words.in_words("constructed / gradient descent - 1", 0.0, None) == "constructed is equal to gradient descent"
    assert words.in_words("|a / b - 1|, c's - d's", 0.1, None) == "|a / b - 1|, c's - d's: 0.1"


def test_a_place_in_a_text_that_no_claim_has_is_an_error():
    claims = {"fig1": [{"statement": "It holds.", "measured": {"loss": 0.5}, "errors": {"loss": 0.02}}]}
    assert sources.filled("a {{fig1 | loss}} b {{fig1 > It | loss | %}}", claims, "x.yaml") == "a 0.50 ± 0.02 b 50 ± 2%"
    for wrong in ("{{fig2 | loss}}", "{{fig1 | los}}", "{{fig1 > They | loss}}"):
        with pytest.raises(UserError, match=r"x\.yaml: no claim of fig\d"):
            sources.filled(wrong, claims, "x.yaml")


def test_no_measured_number_is_written_by_hand():
    """Numbers with an error, or with a decimal point, come from tables."""
    for path in FINDINGS.glob("*.yaml"):
        text = re.sub(r"arXiv \d+\.\d+", "", sources.PLACE.sub("", path.read_text(encoding="utf-8")))
        assert "±" not in text, path
        assert set(re.findall(r"(?<![\w.])\d*\.\d+", text)) <= ALLOWED, path


# Bounds and settings, billions of parameters, and sections of sources (4.1).
ALLOWED = {
    ".002", ".2", ".99", "0.1", "0.3", "1.3", "2.7", "2.4", "3.2", "3.3", "3.4", "3.5", "3.6", "4.1", "4.2", "4.5",
    "4.6", "5.2", "5.4",
}  # fmt: skip


def test_a_claim_that_goes_on_has_the_one_before_it():
    statements = ["It rains.", "A layer learns.", "It is fast.", "At 5 layers it is slow.", "Another does not."]
    before = [claim["before"] for claim in page.complete([{"statement": text} for text in statements])]
    assert before == ["", "", "A layer learns.", "A layer learns.", ""]


def test_a_mistake_in_a_hand_written_file_names_it(tmp_path):
    (tmp_path / "order.yaml").write_text("sources: [mine]\n")
    (tmp_path / "mine.yaml").write_text("titel: x\n")
    with pytest.raises(UserError, match=r"mine\.yaml: .*titel"):
        sources.read(pathlib.Path(tmp_path))
    (tmp_path / "questions.yaml").write_text("questions: [{question: x, page: y.md}]\n")
    with pytest.raises(UserError, match=r"questions\.yaml: .*answer"):
        sources.read_questions(pathlib.Path(tmp_path))


def test_a_question_of_this_lab_has_a_row_with_its_claims(claims):
    """The row counts the claims of its figures alone, and links its page from the front page and from the contents."""
    question = sources.Question("Why?", "So.", ["online"], "online-learners.md")
    for folder, link in (("docs/findings/", "docs/online-learners.md"), ("", "../online-learners.md")):
        row = next(line for line in page.table([], [question], claims, folder) if "Why?" in line)
        assert row.startswith(f"| [Why?]({link}) | So. | ")
        assert sum(map(int, re.findall(r"(?<=\| )\d+(?= \|)", row))) == len(claims["online"])
    assert not [figure for each in sources.read_questions(FINDINGS) for figure in each.figures if not claims[figure]]


class Squares(html.parser.HTMLParser):
    """Reads the texts of all squares, and every address that the page would load."""

    def __init__(self, text: str):
        super().__init__()
        self.squares, self.loads = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "data-statement" in values:
            self.squares.append((values["data-experiment"], values["data-statement"], values["data-outcome"]))
        self.loads += [values[name] for name in ("src", "href") if name in values]


def test_the_matrix_has_every_claim_once_and_loads_nothing(texts, claims):
    read = Squares(texts["docs/findings/matrix.html"])
    expected = [(figure, each["statement"], each["outcome"]) for figure in claims for each in claims[figure]]
    assert sorted(read.squares) == sorted(expected)
    assert read.loads == ["data:,"]  # the icon


def test_no_figure_is_left_without_a_subject(claims):
    assert {*claims} <= {*matrix.subjects_of_figures()}
