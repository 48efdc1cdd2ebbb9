"""The tables and summaries of a sweep's points, in one."""

from analysis.tables.rows import suffixed
from lab.config.comparison import Config
from lab.config.identity import config_hash
from lab.config.points import Point
from lab.runs.directory import RunDirectory

TABLES = ("curves", "learners", "alignment", "layers", "shift")


def gather(config: Config, directory: RunDirectory, points: list[tuple[Point, RunDirectory]], command: str) -> None:
    """points.csv (a row a point: its place, its state, losses and alignments at the end), every table of the points
    with their places in front, and summary.json. Points that are not done have a row in points.csv alone."""
    done = [(point, of, of.read_summary()) for point, of in points if of.done]
    found = {point.name: _flat(summary) for point, _, summary in done}
    directory.write_table(
        "points",
        [
            {"point": point.name, **point.where, "run": of.path.name, "state": "done" if of.done else "failed"}
            | {"reference": of.read_summary()["reference"] if of.done else ""}
            | found.get(point.name, {})
            for point, of in points
        ],
    )
    for table in TABLES:
        rows = [point.where | row for point, of, _ in done if of.has_table(table) for row in of.read_text_table(table)]
        if rows:
            directory.write_table(table, rows)
    directory.write_summary(
        {
            "experiment": config.name,
            "config_hash": config_hash(config),
            "command": command,
            "seconds": _seconds([summary for _, _, summary in done]),
            "notes": list(dict.fromkeys(note for _, _, summary in done for note in summary["notes"])),
            "points": {point.name: summary for point, _, summary in done},
            "failed": {point.name: of.failure for point, of in points if not of.done},
        }
    )


def _seconds(summaries: list[dict]) -> dict[str, float]:
    """Runs of one program took the same seconds together: each counts for its share."""
    shares = [summary.get("together", {}).get("runs", 1) for summary in summaries]
    return {
        key: sum(summary["seconds"][key] / share for summary, share in zip(summaries, shares, strict=True))
        for key in summaries[0]["seconds"]
    }


def _flat(summary: dict) -> dict[str, float]:
    """Losses and alignments of a summary, a column each: its mean, then `.stderr` and `.spread`."""
    row = {}
    for name, of in summary["learners"].items():
        row |= {f"loss.{name}{suffix}": value for suffix, value in suffixed(of["loss"])}
        if "eta" in of and name == "gradient_descent":
            row["eta"] = of["eta"]
    for name, of in summary["alignment"].items():
        kinds = [kind for kind in ("stderr", "spread") if kind in of]
        for metric in of["stderr"]:
            row[f"{name}.{metric}"] = of[metric]
            row |= {f"{name}.{metric}.{kind}": of[kind][metric] for kind in kinds}
    return row
