"""What a run says in the terminal: devices, a progress bar, tables, paths. Nothing is computed here."""

import contextlib
import shlex
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table

from lab.config.comparison import Config
from lab.runs.directory import RunDirectory

CONSOLE = Console(highlight=False, soft_wrap=True)
COMPACT = {"box": box.SIMPLE, "collapse_padding": True, "pad_edge": False, "title_justify": "left"}  # fits 80 columns


def say(line: str) -> None:
    CONSOLE.print(line, markup=False)


def be_quiet() -> None:
    """From now on nothing is said."""
    CONSOLE.quiet = True


def starting(directories: Sequence[RunDirectory], configs: Sequence[Config]) -> None:
    """What a program of one or more runs is about to do."""
    config, many = configs[0], f"{len(configs)} runs together, " if len(configs) > 1 else ""
    say(f"{config.name}: {many}{config.train.steps} steps of {config.train.batch_size} episodes, {_seeds(config)}")
    for directory in directories:
        say(f"writing to {directory.path}")


def already_done(directory: RunDirectory) -> None:
    say(f"already done, read from {directory.path} (run.force=true repeats it)")


def _seeds(config: Config) -> str:
    last = config.seed + config.population.seeds - 1
    return f"seed {config.seed}" if last == config.seed else f"seeds {config.seed} to {last}"


@contextlib.contextmanager
def training_bar(steps: int):
    """Yields advance(step, loss, seconds of training so far)."""
    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]}  {task.fields[rate]} steps/s  left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=CONSOLE) as progress:
        bar = progress.add_task("", total=steps, loss="", rate="-")

        def advance(step: int, loss: float, seconds: float) -> None:
            rate = f"{step / seconds:.0f}" if seconds else "-"
            progress.update(bar, completed=step, loss=f"{loss:.4f}", rate=rate)

        yield advance


def busy(what: str):
    """A line that moves while something takes its time."""
    return CONSOLE.status(what)


def results(directory: RunDirectory, summary: dict) -> None:
    """The learners, the alignments, the oracle, the time, and the paths."""
    CONSOLE.print(_learners(summary))
    CONSOLE.print(_alignment(summary))
    if oracle := summary["oracle"]:
        excess = oracle["excess_of_transformer"]
        say(
            f"the best single step of gradient descent, in theory: eta {oracle['eta']:.4f}, loss {oracle['loss']:.5f}; "
            f"the Transformer's loss minus that of this step: {_pm(excess['mean'], excess['stderr'], 5)}"
        )
    for note in summary["notes"]:
        say(f"note: {note}")
    seconds = "  ".join(f"{name} {value:.1f}" for name, value in summary["seconds"].items())
    say(f"seconds: {seconds}   training steps per second: {summary['steps_per_second']:.0f}")
    if together := summary.get("together"):
        share = together["share_of_separate_training"]
        say(f"{together['models']} models trained together: {share:.0%} of the seconds of training them one by one")
    paths(directory, summary)


def sweep(directory: RunDirectory, summary: dict) -> None:
    """A line a point, the verdicts on claims, and the paths."""
    references = " or ".join(dict.fromkeys(of["reference"] for of in summary["points"].values()))
    title = f"the trained Transformer, compared with {references} and with GD++"
    table = Table(Column("point", overflow="fold"), title=title, **COMPACT)
    for head in ("loss", "difference", "from GD++", "cosine", "L2"):
        table.add_column(head, no_wrap=True)
    for name, of in summary["points"].items():
        loss, descent = of["learners"]["transformer"]["loss"], of["alignment"][of["reference"]]
        table.add_row(
            escape(name),
            _pm(loss["mean"], loss["stderr"], 4),
            _pm(descent["loss_difference"], descent["stderr"]["loss_difference"], 4),
            _pm(of["alignment"]["gd_plus_plus"]["loss_difference"], None, 4),
            _pm(descent["sensitivity_cosine"], None, 4),
            _pm(descent["prediction_l2"], None, 4),
        )
    CONSOLE.print(table)
    _claims(summary["claims"])
    for note in summary["notes"]:
        say(f"note: {note}")
    for name, why in summary["failed"].items():
        say(f"failed: {name}: {why}")
    ending(directory, summary, "points.csv")


def paper(directory: RunDirectory, summary: dict) -> None:
    """All verdicts, the seconds, and the paths."""
    say(f"=== {directory.path}: the claims, {summary['profile']} profile")
    _claims(summary["claims"])
    say(f"seconds: {summary['seconds']['total']:.0f}")
    say(f"text:    {directory.path / 'report.md'}")
    paths(directory, summary)


def _claims(of: list[dict]) -> None:
    for claim in of:
        verdict = {True: "holds", False: "DOES NOT HOLD", None: "not run"}[claim["holds"]]
        why = f"; {claim['why']}" if claim["why"] else ""
        say(f"{verdict}: {claim['statement']} ({claim['source']}; {claim['criterion']}{why})")


def ending(directory: RunDirectory, summary: dict, table: str) -> None:
    """The time, the table, and the other paths."""
    say("seconds: " + "  ".join(f"{name} {value:.1f}" for name, value in summary["seconds"].items()))
    say(f"table:   {directory.path / table}")
    paths(directory, summary)


def paths(directory: RunDirectory, summary: dict) -> None:
    """Where everything is, and the command that repeats it."""
    say(f"report:  {directory.path / 'report.html'}")
    say(f"figures: {directory.path / 'figures'}")
    say(f"again:   {summary['command']} run.force=true")


def _pm(mean: float | None, error: float | None, digits: int) -> str:
    """A number with its standard error, where they are finite."""
    return ("-" if mean is None else f"{mean:.{digits}f}") + ("" if error is None else f"±{error:.{digits}f}")


def _learners(summary: dict) -> Table:
    table = Table("learner", "loss", "stderr", "eta", title="loss on the validation episodes", **COMPACT)
    spread = any("spread" in of["loss"] for of in summary["learners"].values())
    if spread:
        table.add_column("spread over seeds")
    for name, of in summary["learners"].items():
        eta = _pm(of["eta"], of.get("eta_stderr"), 4) if "eta" in of else ""
        loss = of["loss"]
        row = [name, _pm(loss["mean"], None, 5), _pm(loss["stderr"], None, 5), eta]
        table.add_row(*row, *([_pm(loss["spread"], None, 5)] if spread else []))
    return table


def _alignment(summary: dict) -> Table:
    metrics = ("prediction_l2", "sensitivity_cosine", "sensitivity_l2", "loss_difference")
    heads = ("predictions", "cosine", "sensitivities", "losses")
    title = "the trained Transformer and others: L2 differences, cosine of sensitivities, difference of losses"
    table = Table("with", *heads, title=title, **COMPACT)
    for name, of in summary["alignment"].items():
        table.add_row(name, *(_pm(of[metric], of["stderr"][metric], 4) for metric in metrics))
    return table


def command(overrides: list[str]) -> str:
    """The command line that repeats a run."""
    how = ("run.force=", "sweep.", "hosts.")  # not what
    return shlex.join(["python", "run.py", *(word for word in overrides if not word.startswith(how))])
