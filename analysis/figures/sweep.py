"""Any sweep: the loss, and the alignment with gradient descent, against its longest axis.

The other axes' combinations are a column of panels each, up to six of them.
"""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import Row
from lab.runs.directory import RunDirectory

CAPTION = "Losses, and the trained Transformer's alignment with its reference, against a setting."

COLUMNS = 6


def draw(directory: RunDirectory) -> Figure:
    points = [row for row in directory.read_table("points") if row["state"] == "done"]
    references = {row["reference"] for row in points}
    reference = references.pop() if len(references) == 1 else "gradient_descent"
    keys = list(points[0])[1 : list(points[0]).index("run")] or ["point"]  # between the point's name and its directory
    axis = max(keys, key=lambda key: (len({row[key] for row in points}), keys.index(key)))
    columns: dict[str, list[Row]] = {}
    for row in points:
        place = ", ".join(f"{key.split('.')[-1]}={_shown(row[key])}" for key in keys if key != axis)
        columns.setdefault(place, []).append(row)
    kept = dict(list(columns.items())[:COLUMNS])
    figure, axes = style.panels(2, len(kept), width=max(4.0 * len(kept), 5.5), height=6)
    for (place, rows), above, below in zip(kept.items(), *axes, strict=True):
        x = [row[axis] if isinstance(row[axis], float) else _shown(row[axis]) for row in rows]
        if all(isinstance(value, float) for value in x):
            rows, x = zip(*sorted(zip(rows, x, strict=True), key=lambda pair: pair[1]), strict=True)
        for name in style.LEARNERS:
            if f"loss.{name}" in rows[0]:
                of = [(row[f"loss.{name}"], row.get(f"loss.{name}.spread", 0.0)) for row in rows]
                style.line(above, name, x, *zip(*of, strict=True), marker="o", markersize=3)
        style.log(above)
        above.set(title=place, ylabel="loss, 1/2 squared error", xlabel=axis)
        right = style.final_alignment(below, rows, x, reference)
        below.set_xlabel(axis)
        if all(isinstance(value, float) and value > 0 for value in x) and max(x) >= 50 * min(x):
            for panel in (above, below, right):
                panel.set_xscale("log")
    style.legend(above, below, right)
    if len(columns) > COLUMNS:
        figure.suptitle(f"the first {COLUMNS} of {len(columns)} combinations; all are in points.csv")
    return figure


def _shown(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) else value
