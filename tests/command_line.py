"""`python run.py ...` as a user calls it: in a process of its own, or in this one where that makes no difference."""

import contextlib
import dataclasses
import io
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from unittest import mock

from filelock import FileLock

import run as entry_point
from lab.config import smoke
from lab.runs import interrupt
from tests.sketch import Drawn, nothing, sketched

ROOT = pathlib.Path(__file__).parent.parent
TINY = smoke.COMPARISON
ENVIRONMENT = os.environ | {
    "JAX_PLATFORMS": "cpu",
    "JAX_COMPILATION_CACHE_DIR": str(ROOT / ".pytest_cache" / "jax"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    "JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES": "none",
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",  # tiny runs compile for longer than they compute
    "JAX_INCLUDE_FULL_TRACEBACKS_IN_LOCATIONS": "0",
    "PYTHONWARNINGS": ",".join(
        ["error", *(f"ignore:Error {doing} persistent compilation cache entry" for doing in ("reading", "writing"))]
    ),  # as in pyproject.toml
    "COLUMNS": "120",
}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a command left in the terminal."""

    returncode: int
    stdout: str
    stderr: str


def command(*words: str) -> list[str]:
    return [sys.executable, str(ROOT / "run.py"), *words]


SKETCHING = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import run
from tests.sketch import sketched
with sketched():
    run.main()
"""


def sketching_command(*words: str) -> list[str]:
    """The same but for its figures, which are one pixel."""
    return [sys.executable, "-c", SKETCHING, *words]


def lab(*words: str, cwd: pathlib.Path, **environment: str) -> Outcome:
    """In a process of its own."""
    return _outcome(command(*words), cwd, environment)


def sketching_lab(*words: str, cwd: pathlib.Path, **environment: str) -> Outcome:
    """The same but for its figures, which are one pixel."""
    return _outcome(sketching_command(*words), cwd, environment)


def _outcome(words: list[str], cwd: pathlib.Path, environment: dict[str, str]) -> Outcome:
    done = subprocess.run(words, cwd=cwd, env=ENVIRONMENT | environment, capture_output=True, text=True, check=False)
    return Outcome(done.returncode, done.stdout, done.stderr)


def lab_here(*words: str, cwd: pathlib.Path, **environment: str) -> Outcome:
    """In this process, which saves a start and the import of JAX. An error that the lab does not explain is raised."""
    stdout, stderr, status = io.StringIO(), io.StringIO(), 0
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
        mock.patch.object(sys, "argv", ["run.py", *words]),
        mock.patch.dict(os.environ, {"COLUMNS": "120"} | environment),
        mock.patch.object(interrupt, "listen"),  # signals are pytest's here
    ):
        try:
            entry_point.main()
        except SystemExit as stop:
            status = stop.code
    return Outcome(status, stdout.getvalue(), stderr.getvalue())


def ran(*words: str, cwd: pathlib.Path, **environment: str) -> Outcome:
    """A command in this process, which must come to its end."""
    return _came_to_its_end(lab_here(*words, cwd=cwd, **environment))


def python(*words: str, cwd: pathlib.Path = ROOT, **environment: str) -> Outcome:
    """A Python of its own that knows the lab, which must come to its end."""
    return _came_to_its_end(_outcome([sys.executable, *words], cwd, {"PYTHONPATH": str(ROOT)} | environment))


def _came_to_its_end(done: Outcome) -> Outcome:
    assert done.returncode == 0, done.stderr
    return done


def forced_devices(count: int) -> dict[str, str]:
    """The variable that makes so many devices of one processor, in a process of its own."""
    return {"XLA_FLAGS": f"{ENVIRONMENT.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={count}"}


def check_refused(done: Outcome, message: str) -> None:
    """The command was refused, in one line that has this message."""
    assert done.returncode == 1, done.stdout
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def shared_folder(tmp_path_factory, name: str) -> pathlib.Path:
    """The path of a folder that all worker processes share; it is not made here."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name


def lab_once(
    tmp_path_factory, name: str, words: Sequence[str], drawn: Drawn = nothing, **environment: str
) -> tuple[Outcome, pathlib.Path]:
    """What a command left, and the folder in which it ran: once for all tests and worker processes that ask for it.
    Tests must not change the folder. drawn: which figures are more than one pixel (`tests.sketch`)."""
    folder = shared_folder(tmp_path_factory, f"once_{name}")
    with FileLock(f"{folder}.lock"):
        kept = pathlib.Path(f"{folder}.json")
        if not kept.exists():
            folder.mkdir(exist_ok=True)
            with sketched(drawn):
                done = lab_here(*words, cwd=folder, **environment)
            kept.write_text(json.dumps(dataclasses.asdict(done)))
        return Outcome(**json.loads(kept.read_text())), folder


@contextlib.contextmanager
def started(*words: str, cwd: pathlib.Path) -> Iterator[subprocess.Popen]:
    """A process that is at work, with figures of one pixel; it is killed at the end in any case."""
    # A shell's background jobs ignore Ctrl-C, and so does what they start: a process that listens again becomes the
    # lab. (A preexec_fn would fork after JAX has started its threads.)
    listen = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    with subprocess.Popen(
        [sys.executable, "-c", listen, *sketching_command(*words)],
        cwd=cwd,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_until_it_trains(process: subprocess.Popen, cwd: pathlib.Path) -> pathlib.Path:
    """The directory of the run that a process has started there."""
    give_up = time.monotonic() + 300
    while not (metrics := list(cwd.glob("runs/*/*/metrics.jsonl"))) or not metrics[0].read_text():
        assert process.poll() is None
        assert time.monotonic() < give_up
        time.sleep(0.1)
    return metrics[0].parent
