"""Seconds of the processor and memory that reading a log takes: `python -m tests.tasks.logs.sizes ROWS FOLDER`.

A release of MovieLens in small is made up in FOLDER, block by block, and read by each reader in a process of its own.
"""

import pathlib
import re
import subprocess
import sys
import time
from typing import Any

import numpy as np

from tasks.logs.catalogue import ITEM_READERS, READERS
from tasks.logs.settings import ITEM_LOGS, LOGS

COLUMNS = {"user": "userId", "time": "timestamp", "item": "movieId"}
FORMS = {
    "movielens": {},
    "click_csv": {**COLUMNS, "label": "rating", "label_at_least": 4, "features": ["movieId"]},
    "movielens_items": {},
    "item_csv": COLUMNS,
}


def write(folder: pathlib.Path, rows: int, block: int = 1 << 19) -> None:
    """Write ratings.csv and movies.csv: 150 rows per user, seven users per film, few films popular."""
    rng, users = np.random.default_rng(0), max(2, rows // 150)
    films = max(10, users // 7)
    with open(folder / "movies.csv", "w") as file:
        file.write("movieId,title,genres\n")
        file.writelines(f"{film},Film {film} ({1920 + film % 100}),Drama|Comedy\n" for film in range(films))
    with open(folder / "ratings.csv", "w") as file:
        file.write("userId,movieId,rating,timestamp\n")
        for first in range(0, rows, block):
            count = min(block, rows - first)
            film = (films * rng.random(count) ** 3).astype(int)
            columns = (
                rng.integers(0, users, count),
                film,
                rng.integers(1, 11, count) / 2,
                rng.integers(10**9, 17 * 10**8, count),
            )
            file.writelines(f"{u},{f},{r},{t}\n" for u, f, r, t in zip(*columns, strict=True))


def read(name: str, folder: str) -> None:
    """Print what reading takes; of clicks also the second time, when the sorted log is kept."""
    settings: Any = (LOGS | ITEM_LOGS)[name]
    reader = (READERS | ITEM_READERS)[name]
    path = folder if name.startswith("movielens") else f"{folder}/ratings.csv"
    cache = {"cache": f"{folder}/cache"} if name in LOGS else {}
    before = peak()
    for _ in range(2 if cache else 1):
        start = time.process_time()
        reader.read(settings(path=path, **FORMS[name], **cache))
        print(f"{name}: {time.process_time() - start:.1f} s, {peak() - before:,} MiB", flush=True)


def peak() -> int:
    """Return the most memory that this process had so far, in MiB. Python's `resource` gives its parent's, too."""
    return int(re.findall(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[0]) >> 10


if __name__ == "__main__":
    if sys.argv[1].isdigit():
        write(pathlib.Path(sys.argv[2]), int(sys.argv[1]))
        for each in FORMS:
            subprocess.run([sys.executable, "-m", "tests.tasks.logs.sizes", each, sys.argv[2]], check=True)
    else:
        read(sys.argv[1], sys.argv[2])
