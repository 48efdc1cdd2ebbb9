"""The terminal output of a run while it is at work: lines and progress bars. Nothing is computed here."""

import contextlib
import shlex
from collections.abc import Callable, Iterator

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.status import Status

from lab.runs.directory import RunDirectory

CONSOLE = Console(highlight=False, soft_wrap=True)
COMPACT = {"box": box.SIMPLE, "collapse_padding": True, "pad_edge": False, "title_justify": "left"}  # fits 80 columns


def say(line: str) -> None:
    """Print one line as it is, without rich's markup."""
    CONSOLE.print(line, markup=False)


def be_quiet() -> None:
    """Print nothing from now on."""
    CONSOLE.quiet = True


def already_done(directory: RunDirectory) -> None:
    """Print that a run is finished, and from which directory its results are read."""
    say(f"already done, read from {directory.path} (run.force=true repeats it)")


@contextlib.contextmanager
def training_bar(steps: int) -> Iterator[Callable[[int, float, float], None]]:
    """Show the progress of a training; yields a function advance(step, loss, seconds of training so far)."""
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
def counting_bar(what: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a progress bar that disappears at the end; yields a function advance(what, by), which adds to what is done.

    `what` names the work that is shown beside the bar; a call of `advance` without it shows the first name again.
    """
    with Progress(console=CONSOLE, transient=True) as progress:
        bar = progress.add_task(what, total=total)

        def advance(what: str = what, by: int = 1) -> None:
            progress.update(bar, advance=by, description=what)

        yield advance


def busy(what: str) -> Status:
    """Return a context manager that shows an animated line while a long operation runs."""
    return CONSOLE.status(what)


def command(overrides: list[str]) -> str:
    """Return the command line that repeats a run with these overrides."""
    how = ("run.force=", "sweep.", "hosts.")  # words that say how it is run, not what is run
    return shlex.join(["python", "run.py", *(word for word in overrides if not word.startswith(how))])
