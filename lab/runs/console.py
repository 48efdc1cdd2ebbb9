"""The terminal output of a run while it is at work: lines and progress bars. Nothing is computed here."""

import contextlib
import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lab.config.imported import PROGRAM
from lab.errors import writing
from lab.runs.directory import RunDirectory

if not os.environ.get("COLUMNS", "").strip("0"):  # some terminals say 0, with which rich would print nothing
    os.environ.pop("COLUMNS", None)
IN_NOTEBOOK = "ipykernel" in sys.modules  # whose pages would keep every step of a bar
CONSOLE = Console(highlight=False, soft_wrap=True, force_jupyter=False, force_terminal=False if IN_NOTEBOOK else None)
MINUTE = 60.0  # seconds
_LINES: list[Callable[[], str]] = []  # lines of the operations under way, the innermost last
COMPACT = {"box": box.SIMPLE, "collapse_padding": True, "pad_edge": False, "title_justify": "left"}  # fits 80 columns


def say(line: str) -> None:
    """Print one line as it is, without rich's markup."""
    with writing("the output"):
        CONSOLE.print(line, markup=False)


@contextlib.contextmanager
def _every_minute(line: Callable[[], str]) -> Iterator[None]:
    """Print a line every minute during the `with` block if the output is no terminal, where a bar would show it. Of
    nested blocks the innermost prints.
    """
    if CONSOLE.is_terminal:
        yield
        return
    end = threading.Event()
    _LINES.append(line)

    def repeat() -> None:
        while not end.wait(MINUTE):
            if _LINES[-1] is line:
                with contextlib.suppress(OSError):  # the reader of the output has gone; other lines report it
                    say(line())

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
        _LINES.remove(line)


class _Share:
    """The share of some work that is done. The time left is estimated by the rate since this object was made."""

    def __init__(self) -> None:
        self._began, self._first, self._last, self._at = time.monotonic(), None, 0.0, 0.0

    def update(self, share: float) -> None:
        self._first = share if self._first is None else self._first
        self._last, self._at = share, time.monotonic()

    @property
    def left(self) -> str:
        """ ", about 3 min left", or nothing while no rate is known."""
        gained = self._last - (self._first or 0.0)
        if gained <= 0:
            return ""
        left = (1 - self._last) / gained * (self._at - self._began) - (time.monotonic() - self._at)
        return f", about {max(left, 0) / 60:.0f} min left"


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
    line, share = "training", _Share()
    with Progress(*columns, console=CONSOLE) as progress, _every_minute(lambda: f"{line}{share.left}"):
        bar = progress.add_task("", total=steps, loss="", rate="-")

        def advance(step: int, loss: float, seconds: float) -> None:
            nonlocal line
            rate = f"{step / seconds:.0f}" if seconds else "-"
            progress.update(bar, completed=step, loss=f"{loss:.4f}", rate=rate)
            line = f"training: step {step} of {steps}, loss {loss:.4f}"
            share.update(step / steps)

        yield advance


@contextlib.contextmanager
def counting_bar(what: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a progress bar that disappears at the end, and yield a function advance(what, steps).

    `advance` moves the bar by `steps` and shows the name `what` of the present work beside it; without a name it shows
    the first one again.
    """
    now, done, share = what, 0, _Share()
    with (
        Progress(console=CONSOLE, transient=True) as progress,
        _every_minute(lambda: f"{now}: {done} of {total}{share.left}"),
    ):
        bar = progress.add_task(what, total=total)
        share.update(0.0)

        def advance(what: str = what, steps: int = 1) -> None:
            nonlocal now, done
            progress.update(bar, advance=steps, description=what)
            now, done = what, done + steps
            share.update(done / total)

        yield advance


@contextlib.contextmanager
def busy(what: str) -> Iterator[None]:
    """Show an animated line while a long operation runs."""
    began = time.monotonic()
    with CONSOLE.status(what), _every_minute(lambda: f"{what}: {(time.monotonic() - began) / 60:.0f} min so far"):
        yield


def command(overrides: list[str]) -> str:
    """Return the command line that repeats a run with these overrides."""
    how = ("run.force=", "sweep.", "hosts.")  # overrides that do not change the run itself
    return shlex.join([*PROGRAM.split(), *(word for word in overrides if not word.startswith(how))])
