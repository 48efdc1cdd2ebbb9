"""`python run.py ...` as a user calls it, in a process of its own."""

import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).parent.parent
TINY = [
    "train.steps=4",
    "train.eval_every=2",
    "train.batch_size=8",
    "eval.episodes=50",
    "baselines.line_search_episodes=100",
    "baselines.gd_plus_plus.steps=4",
]
ENVIRONMENT = os.environ | {
    "JAX_PLATFORMS": "cpu",
    "JAX_COMPILATION_CACHE_DIR": str(ROOT / ".pytest_cache" / "jax"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",  # tiny runs compile for longer than they compute
    "PYTHONWARNINGS": ",".join(
        ["error", *(f"ignore:Error {doing} persistent compilation cache entry" for doing in ("reading", "writing"))]
    ),  # as in pyproject.toml
    "COLUMNS": "120",
}


def command(*words: str) -> list[str]:
    return [sys.executable, str(ROOT / "run.py"), *words]


def lab(*words: str, cwd: pathlib.Path, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        command(*words), cwd=cwd, env=ENVIRONMENT | environment, capture_output=True, text=True, check=False
    )


def wait_until_it_trains(process: subprocess.Popen, cwd: pathlib.Path) -> pathlib.Path:
    """The directory of the run that a process has started there."""
    give_up = time.monotonic() + 120
    while not (found := list(cwd.glob("runs/*/*/metrics.jsonl"))) or not found[0].read_text():
        assert process.poll() is None
        assert time.monotonic() < give_up
        time.sleep(0.1)
    return found[0].parent
