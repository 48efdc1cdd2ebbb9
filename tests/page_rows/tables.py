"""All tables of pages whose rows are computed here."""

from collections.abc import Callable

from tests.page_rows import functions, recommendation, report, speed, tokens_and_features, vo23

TABLES: dict[str, tuple[str, Callable[[], list[str]]]] = {  # {name: (page, what makes its rows)}
    name: (page.PAGE, lines)
    for page in (functions, vo23, tokens_and_features, report, speed, recommendation)
    for name, lines in page.TABLES.items()
}
