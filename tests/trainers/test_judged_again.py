"""A run or sweep that other code judged, or whose drawing was stopped, is judged and drawn again from its tables."""

import json
import pathlib

import pytest

from analysis.report import present
from lab.runs import provenance
from lab.runs.directory import RunDirectory
from tests.command_line import check_refused, lab_here, ran
from tests.run_files import directory_of
from tests.trainers.test_validity import DUAL, lines_with


def judged(path):
    """The verdicts of a run, and of a sweep and its points."""
    summary = json.loads((path / "summary.json").read_text())
    each = [summary, *summary.get("points", {}).values()]
    return [[(claim["statement"], claim["holds"]) for claim in one["claims"]] for one in each]


def test_verdicts_of_other_code_are_not_printed(tmp_path):
    """They are judged and drawn again from the tables, of a sweep those of its points too, and nothing is trained."""
    sweep = ["-m", *DUAL, "seed=1,2"]
    ran(*sweep, cwd=tmp_path)
    path, places = directory_of(tmp_path), sorted(tmp_path.glob("runs/dual_form/*"))
    verdicts, done = [judged(each) for each in places], [(each / "DONE").stat().st_mtime_ns for each in places]
    assert "judged and drawn again" not in lab_here(*sweep, cwd=tmp_path).stdout
    for file in (each / "summary.json" for each in places):
        summary = json.loads(file.read_text())
        for one in (summary, *summary.get("points", {}).values()):
            for claim in one["claims"]:
                claim["holds"] = not claim["holds"]
            one["judged_by"] = "another"
        file.write_text(json.dumps(summary))
    (path / "figures").rename(path / "earlier_figures")
    (path / "figures").mkdir()
    again = lab_here(*sweep, cwd=tmp_path).stdout
    assert len(lines_with("judged and drawn again from its tables", again)) == 3
    assert [judged(each) for each in places] == verdicts
    assert [*(path / "figures").glob("*.png")]
    assert [(each / "DONE").stat().st_mtime_ns for each in places] == done
    assert "judged and drawn again" not in lab_here(*sweep, cwd=tmp_path).stdout


def test_a_drawing_that_was_stopped_is_done_again(tmp_path, monkeypatch):
    def stopped(_):
        raise KeyboardInterrupt

    ran(*DUAL, cwd=tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(present.page, "write", stopped)
        assert lab_here(f"report={directory_of(tmp_path)}", cwd=tmp_path).returncode == 130
    assert "drawn again from its tables, as that was stopped before its end" in lab_here(*DUAL, cwd=tmp_path).stdout
    assert "drawn again" not in lab_here(*DUAL, cwd=tmp_path).stdout


def test_the_code_that_judges_is_all_that_a_kind_and_every_kind_judges_with(monkeypatch):
    roots = []
    monkeypatch.setattr(provenance, "reached", lambda files, use: roots.append((files, use)) or {})
    directory = RunDirectory(pathlib.Path())
    monkeypatch.setattr(RunDirectory, "read_config", lambda self: {})
    present._judges(directory, {"kind": "", "figure": "", "points": {"a": {"kind": "comparison"}}})
    monkeypatch.undo()
    code = provenance.reached(*roots[0])
    mine = {f"experiments/regression/comparison/{name}.py" for name in ("controls", "results", "figures/training")}
    assert mine | {"analysis/figures/estimates.py", "analysis/figures/claim.py"} <= code.keys()
    assert not [
        name for name in code if name.startswith(("experiments/duals", "experiments/regression/comparison/run.py"))
    ]


def one_line(tmp_path, *words):
    done = lab_here(*words, cwd=tmp_path)
    check_refused(done, "run.force=true")
    return done.stderr


@pytest.mark.parametrize("text", ["", '{"figure": ', "{}", "[]"])
def test_a_damaged_summary_is_one_line(text, tmp_path):
    ran(*DUAL, cwd=tmp_path)
    (directory_of(tmp_path) / "summary.json").write_text(text)
    assert "summary.json: " in one_line(tmp_path, *DUAL)
    ran(*DUAL, "run.force=true", cwd=tmp_path)


def test_a_damaged_table_of_a_point_is_one_line(tmp_path):
    ran(*DUAL, "seed=1", cwd=tmp_path)
    (directory_of(tmp_path) / "identities.csv").unlink()
    assert "identities.csv: no such file" in one_line(tmp_path, "-m", *DUAL, "seed=1,2")
