"""What a run says in the terminal while it is at work: devices, a progress bar. Nothing is computed here."""

import contextlib
import shlex

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lab.runs.directory import RunDirectory

CONSOLE = Console(highlight=False, soft_wrap=True)
COMPACT = {"box": box.SIMPLE, "collapse_padding": True, "pad_edge": False, "title_justify": "left"}  # fits 80 columns


def say(line: str) -> None:
    CONSOLE.print(line, markup=False)


def be_quiet() -> None:
    """From now on nothing is said."""
    CONSOLE.quiet = True


def already_done(directory: RunDirectory) -> None:
    say(f"already done, read from {directory.path} (run.force=true repeats it)")


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


@contextlib.contextmanager
def counting_bar(what: str, total: int):
    """Yield advance(what, by): so many of `total` are done, and `what` is at work from then on, by default the same as
    before. Nothing is left of the bar in the end."""
    with Progress(console=CONSOLE, transient=True) as progress:
        bar = progress.add_task(what, total=total)

        def advance(what: str = what, by: int = 1) -> None:
            progress.update(bar, advance=by, description=what)

        yield advance


def busy(what: str):
    """A line that moves while something takes its time."""
    return CONSOLE.status(what)


def command(overrides: list[str]) -> str:
    """The command line that repeats a run."""
    how = ("run.force=", "sweep.", "hosts.")  # not what
    return shlex.join(["python", "run.py", *(word for word in overrides if not word.startswith(how))])
