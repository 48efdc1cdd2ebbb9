"""Gathers the tables and summaries of a sweep's points into one. A point is a run of any kind, or itself a sweep."""

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analysis.tables.columns import Points, Table
from lab.runs.directory import RunDirectory


@dataclasses.dataclass(frozen=True)
class PointDirectory:
    """A point of a sweep, and the directory of its files."""

    name: str  # "rag_dot, num_documents=5"
    place: Mapping[str, str]  # {"part": "rag_dot", "task.num_documents": "5"}: one column each, in front of all tables
    settings: Mapping[str, str]  # other settings in which any point differs from the defaults: columns of points.csv
    directory: RunDirectory
    command: str = ""  # runs the point alone
    figure: str = ""  # the point's figure; its claims are shown without a verdict if the point has no summary

    @property
    def is_gathered(self) -> bool:
        """True if the point has numbers: it is done, or it is a sweep with a point that is done."""
        return self.directory.done or (self.directory.has_summary and "points" in self.directory.read_summary())

    @property
    def why_not_done(self) -> str:
        """The reason why the point is not done, in one line."""
        if not self.directory.failed and self.is_gathered:
            return "; ".join(dict.fromkeys(self.directory.read_summary()["failed"].values()))
        return self.directory.failure


def gather(directory: RunDirectory, head: Mapping[str, Any], points: Sequence[PointDirectory]) -> None:
    """Write a sweep's points.csv, every table of its points with their places in front, and summary.json.

    Points that are not done have a row in points.csv, and one for each seed that diverged in diverged.csv.

    Args:
        directory: the sweep's directory, in which `begin` has been called.
        head: the sweep's entries of summary.json: experiment, kind, config_hash, command and figure; and `notes`, a
            list, where the sweep has notes of its own.
        points: in the order of the rows.
    """
    summaries = {point.name: point.directory.read_summary() for point in points if point.is_gathered}
    directory.write_table(Table.POINTS, [_row(directory, point, summaries.get(point.name)) for point in points])
    finished = [(point, summaries[point.name]) for point in points if point.name in summaries]
    diverged = [point for point in points if point.name not in summaries and point.directory.has_table(Table.DIVERGED)]
    tables = _tables(finished, diverged)
    for table, rows in tables.items():
        directory.write_table(table, rows)
    done = list(summaries.values())
    notes = [*head.get("notes", []), *(note for summary in done for note in summary["notes"])]
    directory.write_summary(
        {
            **head,
            "axes": list(dict.fromkeys(key for point in points for key in point.place)),
            "tables": [Table.POINTS, *tables],
            # parts may share a run, whose seconds count once
            "seconds": _seconds({point.directory.path: summary for point, summary in finished}.values()),
            "notes": list(dict.fromkeys(notes)),
            "claims": [],
            "points": summaries,
            "failed": {point.name: point.why_not_done for point in points if not point.directory.done},
            "unfinished": {
                point.name: {"command": point.command, "figure": point.figure}
                for point in points
                if point.name not in summaries
            },
        }
    )


def _row(directory: RunDirectory, point: PointDirectory, summary: dict | None) -> dict[str, object]:
    row: dict[str, object] = {Points.POINT: point.name, **point.place}
    row |= {key: value for key, value in point.settings.items() if key not in point.place}
    row[Points.RUN] = os.path.relpath(point.directory.path, directory.path.parent)
    row[Points.STATE] = "done" if point.directory.done else "failed"
    if summary is not None:
        row |= {Points.REFERENCE: summary["reference"]} if "reference" in summary else {}
        row |= summary.get("numbers", {})
    return row


def _tables(done: list[tuple[PointDirectory, dict]], diverged: list[PointDirectory]) -> dict[str, list[dict]]:
    """Return {name: rows} of the tables of all points that are runs, and of diverged.csv of runs that failed.

    The tables of a point that is a sweep have places of their own, and stay in its directory, as does blocks.csv, by
    which two single runs are paired. Points of different parts
    may have different columns of places: all rows begin with all of these columns, as readers of tables expect.
    """
    runs = [(point, summary["tables"]) for point, summary in done if "points" not in summary]
    runs += [(point, [Table.DIVERGED]) for point in diverged]
    places = dict.fromkeys((key for point, _ in runs for key in point.place), "")
    tables: dict[str, list[dict]] = {}
    for point, names in runs:
        for table in filter(lambda name: name != Table.BLOCKS, names):
            tables.setdefault(table, []).extend(
                {**places, **point.place, **row} for row in point.directory.read_text_table(table)
            )
    return tables


def _seconds(summaries: Iterable[dict]) -> dict[str, float]:
    """Return the runs' seconds, summed by purpose.

    Runs that trained together in one program all have the seconds of the whole program, so each counts for its share.
    """
    seconds: dict[str, float] = {}
    for summary in summaries:
        share = summary.get("together", {}).get("runs", 1)
        for key, value in summary["seconds"].items():
            seconds[key] = seconds.get(key, 0.0) + value / share
    return seconds
