"""All tables of pages whose rows are computed here."""

from collections.abc import Callable

from tests.page_rows import (
    click_streams,
    functions,
    real_data,
    recommendation,
    report,
    speed,
    tokens_and_features,
    vo23,
)

TABLES: dict[str, tuple[str, Callable[[], list[str]]]] = {  # {name: (page, what makes its rows)}
    name: (page.PAGE, lines)
    for page in (
        click_streams,
        functions,
        vo23,
        tokens_and_features,
        report,
        speed,
        recommendation,
        real_data,
    )
    for name, lines in page.TABLES.items()
}
