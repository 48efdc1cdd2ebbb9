"""The tutorial: its outputs, figures and list of kept models are those that its code makes."""

import re
import shutil

import pytest

from experiments import kept_models, tutorial
from tests.command_line import ROOT, python

PAGE = ROOT / "docs" / "tutorial.md"
TEXT = PAGE.read_text(encoding="utf-8")
OUTPUT = re.compile(r"^```text\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def test_the_list_of_kept_models_is_that_of_the_manifest():
    match = tutorial.MODELS.search(TEXT)
    assert match is not None
    assert match[0] == tutorial.models()
    assert {*re.findall(r'lab\.load\("(\w+)"\)', TEXT)} <= {*kept_models.manifest()}


def test_every_block_is_found_and_every_picture_is_small():
    blocks = [*tutorial.BLOCK.finditer(TEXT)]
    assert len(blocks) == TEXT.count("```python")
    pictures = [block["file"] for block in blocks if block["file"]]
    assert len(pictures) == TEXT.count("![") > 2
    assert all((PAGE.parent / picture).stat().st_size < 100_000 for picture in pictures)
    for block in blocks:
        assert ("print(" in block["code"]) == ("```text" in block[0])
        assert not block["file"] or "figure" in block["code"]


@pytest.mark.slow
def test_the_page_prints_what_it_says(tmp_path):
    """Words are equal, numbers nearly: other processors round otherwise, and a training goes on from there."""
    shutil.copy(PAGE, tmp_path)
    python("-m", "experiments.tutorial", "tutorial.md", cwd=tmp_path)
    again = (tmp_path / "tutorial.md").read_text(encoding="utf-8")
    assert OUTPUT.sub("", again) == OUTPUT.sub("", TEXT)
    outputs = list(zip(OUTPUT.findall(TEXT), OUTPUT.findall(again), strict=True))
    assert len(outputs) > 5
    for stored, now in outputs:
        assert NUMBER.sub("0", now) == NUMBER.sub("0", stored)
        for one, other in zip(NUMBER.findall(now), NUMBER.findall(stored), strict=True):
            assert float(one) == pytest.approx(float(other), rel=0.05, abs=0.01), (stored, now)
    for picture in re.findall(r"^!\[.*\]\((.*)\)$", TEXT, flags=re.MULTILINE):
        assert (tmp_path / picture).stat().st_size > 10_000
