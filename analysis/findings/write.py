"""Writes docs/findings and the table of sources in README.md. No JAX is needed, and twice gives the same bytes."""

import os
import pathlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from analysis import figures
from analysis.figures.finding import finding, headed
from analysis.findings import matrix, page
from analysis.findings.kept import Kept, fingerprint
from analysis.findings.pivots import MARK, filled
from analysis.findings.sources import NEW, Source, read, read_new, read_questions
from analysis.report import publish
from analysis.tables.select import NotMeasured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE = re.compile(r"(?<=<!-- sources -->\n).*?(?=<!-- end of sources -->)", re.DOTALL)
MATRIX = "matrix.html"
DOTS = 110  # per inch
TABLES = "Tables"  # the entry of a picture's metadata that names the tables it was drawn from


def write(docs: pathlib.Path) -> None:
    """Write the pages and pictures below `docs/findings`, and the table of README.md beside `docs`."""
    draw_all(docs)
    write_texts(docs)


def write_texts(docs: pathlib.Path) -> None:
    """Write the pages and the table alone, which takes seconds; pictures stay as they are."""
    for name, text in texts(docs).items():
        (docs.parent / name).write_text(text, encoding="utf-8")


def draw_all(docs: pathlib.Path) -> None:
    """Draw every picture that a page shows, and remove the others."""
    results, folder = docs / "results", docs / "findings"
    (folder / page.PICTURES).mkdir(exist_ok=True)
    wanted = {name for source in read(folder) for name in source.figures}
    for picture in (folder / page.PICTURES).glob("*.png"):
        if picture.stem not in {*wanted, "answer"}:
            picture.unlink()
    draw_answer(results, folder / page.PICTURES / "answer.png")
    for name in sorted(wanted):
        draw(name, results / name, folder / page.PICTURES / f"{name}.png")


def texts(docs: pathlib.Path) -> dict[str, str]:
    """Return {path in the repository: text} of all pages, from the kept tables, the hand-written files and the existing
    pictures. It includes hand-written pages with tables between marks (`pivots`).
    """
    results, folder = docs / "results", docs / "findings"
    claims, sources = publish.everything(publish.judged(results)), read(folder)
    questions = read_questions(folder)
    front = (docs.parent / "README.md").read_text(encoding="utf-8")
    lines = "\n".join(page.table(sources, questions, claims, "docs/findings/"))
    pages = {source.name: page.page(source, claims, results, _drawn(source, folder)) for source in sources}
    pages |= {NEW: page.new_page(read_new(folder), claims, results), "index": page.contents(sources, questions, claims)}
    files = {os.fspath(pathlib.Path("docs", "findings", f"{name}.md")): text for name, text in pages.items()}
    files[os.fspath(pathlib.Path("docs", "findings", MATRIX))] = matrix.page(claims, results)
    by_hand = {path: path.read_text(encoding="utf-8") for path in sorted(docs.glob("*.md"))}
    marked = {path: text for path, text in by_hand.items() if MARK.search(text)}
    files |= {os.fspath(pathlib.Path("docs", path.name)): filled(text, results) for path, text in marked.items()}
    return files | {"README.md": TABLE.sub(lambda _: f"{lines}\n", front)}


def draw(name: str, tables: pathlib.Path, picture: pathlib.Path) -> None:
    """Draw a figure from its kept tables. If they lack data of the figure, no picture is written."""
    title = finding(figures.evaluate_claims(name, Kept(tables), {}))
    _save(lambda: headed(figures.load(name).draw(Kept(tables)), title), fingerprint(tables), picture)


def draw_answer(results: pathlib.Path, picture: pathlib.Path) -> None:
    """Draw the picture of the front page from the kept tables."""
    from analysis.findings import answer  # Matplotlib is imported when something is drawn

    _save(lambda: answer.draw(results), fingerprint(*(results / name for name in answer.FIGURES)), picture)


def _save(draw: Callable[[], "Figure"], tables: str, picture: pathlib.Path) -> None:
    """Save a figure with the fingerprint of its tables in the picture's metadata."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from analysis.figures import style

    with style.paper(), style.closed():
        try:
            figure = draw()
        except NotMeasured:
            return picture.unlink(missing_ok=True)
        style.arrange(figure)
        figure.set_dpi(DOTS)
        FigureCanvasAgg(figure).print_png(picture, metadata={"Software": None, TABLES: tables})


def _drawn(source: Source, folder: pathlib.Path) -> list[str]:
    return [name for name in source.figures if (folder / page.PICTURES / f"{name}.png").exists()]
