"""A paper: its experiments one after the other, each as its own command line runs it, and a report of the whole.

An experiment that is DONE is not run again, so an interrupted paper goes on where it stopped; one that fails leaves its
claims without a verdict, and the reason.
"""

import traceback

from analysis.report import terminal
from analysis.report.present import present
from analysis.tables.gather import PointDirectory, gather
from lab.config.comparison import Config
from lab.config.compose import compose
from lab.config.identity import config_hash
from lab.config.paper import command_lines
from lab.errors import UserError, explain
from lab.runs import console
from lab.runs.directory import RunDirectory
from lab.runs.hosts import common
from trainers import sweep

NOTES = {
    "quick": "Quick profile: one seed and fewer steps, where the command says nothing else. It shows what to expect; "
    "verdicts to cite take paper.profile=full.",
    "full": "Full profile.",
}


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
        head = {
            "experiment": config.name,
            "kind": "comparison",
            "config_hash": config_hash(config),
            "command": console.command(words),
            "figure": "",
            "notes": [NOTES[config.paper.profile.name]],
        }
        parts = [
            PointDirectory(
                name=name,
                place={"part": name},
                settings={},
                directory=RunDirectory.of(one),
                command=console.command(lines[name]),
                figure=one.figure.name,
            )
            for name, one in composed.items()
        ]
        gather(directory, head, parts)
        present(directory)
        unfinished = [name for name, why in failed.items() if why]
        if not unfinished:
            directory.finish()
    terminal.results(directory)
    if unfinished:
        raise UserError(f"{', '.join(unfinished)} did not finish, what did is kept; the report says why")
    return directory.read_summary()


def _run(config: Config, line: list[str]) -> str:
    """Why it failed; nothing if it did not."""
    try:
        sweep.run(config, line)
    except Exception as error:
        if config.sweep.fail_fast or not common(error):
            raise
        if (why := explain(error)) is None:
            console.say(traceback.format_exc())
            why = repr(error)
        console.say(f"failed: {why}")
        return why
    return ""
