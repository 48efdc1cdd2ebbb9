"""What a reader sees of a directory's tables: figures, verdicts on claims, a report."""

from analysis import claims
from analysis.figures import draw
from analysis.report import page, paper
from lab.config.choices import Figure
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process


@on_first_process
def present(directory: RunDirectory) -> None:
    """Of a run, a sweep or a benchmark, whose summary names the figure; of a paper, whose experiments are presented."""
    summary = directory.read_summary()
    if "experiments" in summary:
        paper.write(directory)
        return
    draw(Figure[summary["figure"]], directory)
    if "points" in summary:
        asked = Figure[directory.read_config()["figure"]]  # another than is drawn, where points failed
        directory.write_summary(summary | {"claims": claims.evaluate(asked, directory, summary["failed"])})
    page.write(directory)
