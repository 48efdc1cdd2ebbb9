"""Rows of docs/report.md."""

from tests.page_rows.cells import read, row

PAGE = "report.md"


def quick() -> list[str]:
    """What `size=quick` took for each source, and how many claims its report has, by what it says of them."""
    profiles = read(".", "quick_profiles")
    counts = [(each, *(int(each[name]) for name in ("claims", "verdicts", "one_seed"))) for each in profiles]
    return [
        row(
            f"`{each['experiment']}`",
            round(int(each["seconds"]) / 60),
            each["cores"],
            claims,
            verdicts,
            alone,
            claims - verdicts - alone,
        )
        for each, claims, verdicts, alone in counts
    ]


TABLES = {"quick": quick}
