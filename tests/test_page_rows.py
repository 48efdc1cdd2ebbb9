"""The tables of pages have the numbers of the kept tables behind them."""

import pytest

from tests.command_line import ROOT
from tests.page_rows.tables import TABLES


@pytest.mark.parametrize("name", TABLES)
def test_the_rows_of_a_page_are_those_of_the_kept_tables(name):
    """All of them, in their order, one below the other."""
    page, lines = TABLES[name]
    rows = lines()
    assert len(rows) > 2
    assert "\n".join(rows) in (ROOT / "docs" / page).read_text(encoding="utf-8")
