"""A paper: its experiments one after the other, each as its own command line runs it, and a report of the whole.

An experiment that is DONE is not run again, so an interrupted paper goes on where it stopped; one that fails leaves its
claims without a verdict, and the reason.
"""

import traceback

from analysis.report.present import present
from lab.config.comparison import Config
from lab.config.compose import compose
from lab.config.identity import config_hash
from lab.config.paper import command_lines
from lab.config.points import points
from lab.errors import UserError, explain
from lab.runs import console
from lab.runs.directory import RunDirectory
from lab.runs.hosts import common
from trainers import sweep


def run(config: Config, words: list[str]) -> dict:
    """The summary.

    Raises:
        UserError: the directory cannot be written or is in use; an experiment failed (the report is written before).
    """
    directory, lines, failed = RunDirectory.of(config), command_lines(config, words), {}
    composed = {name: compose(line) for name, line in lines.items()}
    with directory.locked(config):
        for number, (name, line) in enumerate(lines.items(), start=1):
            console.say(f"=== {name}, {number} of {len(lines)}")
            failed[name] = _run(composed[name], line)
        directory.begin(config)
        directory.write_summary(
            {
                "experiment": config.name,
                "config_hash": config_hash(config),
                "profile": config.paper.profile.name,
                "command": console.command(words),
                "experiments": {
                    name: {
                        "run": "/".join(RunDirectory.of(one).path.parts[-2:]),
                        "figure": one.figure.name,
                        "command": console.command(lines[name]),
                        "failed": failed[name],
                    }
                    for name, one in composed.items()
                },
            }
        )
        present(directory)
        unfinished = [name for name, why in failed.items() if why]
        if not unfinished:
            directory.finish()
    summary = directory.read_summary()
    console.paper(directory, summary)
    if unfinished:
        raise UserError(f"{', '.join(unfinished)} did not finish, what did is kept; the report says why")
    return summary


def _run(config: Config, line: list[str]) -> dict[str, str]:
    """{point: why} of those that failed, or {"": why} if it is not a matter of points."""
    try:
        sweep.run(config, line)
    except Exception as error:
        if config.sweep.fail_fast or not common(error):
            raise
        if (why := explain(error)) is None:
            console.say(traceback.format_exc())
            why = repr(error)
        console.say(f"failed: {why}")
        each = [(point.name, RunDirectory.of(point.config)) for point in points(config, line)]
        return {name: of.failure for name, of in each if of.failed} or {"": why}
    return {}
