"""Seconds per scored query of a true-size OPT-125M with random weights, beside `transformers` on the same processor.

    python -m tests.lab.language.speed PYTHON FOLDER [ROUNDS]

PYTHON is an interpreter that has torch and transformers, which also write the model to FOLDER (500 MB) if it is not
there. Both sides read the same weights, have one thread, and work in turns, one round after another, so that what else
runs on the machine slows both. Printed are processor seconds of one reading or query: the median over the rounds, the
smallest and the largest. docs/results/language_speed.csv is such a table.

A query is 32 tokens with two answers of one token, behind 16 demonstrations of 30 tokens:

* encode: the demonstrations are read once, 480 tokens;
* shared: queries behind their keys and values, 16 at a time (transformers: a cache that is expanded to 16 rows);
* repeated: every query with the demonstrations in front of it, 512 tokens, 4 at a time.
"""

import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from subprocess import PIPE

import numpy as np

from tests.lab.language.golden.make import read

DEMONSTRATIONS, QUERY, SHARED, REPEATED, ANSWERS = 16 * 30, 32, 16, 4, (5, 6)
WHAT = {"encode": 1, "shared": SHARED, "repeated": REPEATED}  # readings or queries of one measurement
ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
}
PROGRAM = "from tests.lab.language.speed import *; work({!r}, pathlib.Path({!r}))"


def tokens() -> tuple[list[int], list[list[int]]]:
    """Return the demonstrations and the queries, the same on both sides."""
    draw = np.random.default_rng(0)
    return draw.integers(10, 50_000, DEMONSTRATIONS).tolist(), draw.integers(10, 50_000, (SHARED, QUERY)).tolist()


def lab(folder: pathlib.Path) -> dict[str, Callable[[], np.ndarray]]:
    """Return the lab's measurements."""
    import jax

    from lab.language.scoring import Query, encode, score
    from lab.language.weights import load

    model, (demonstrations, queries) = load(folder), tokens()
    history, answers = encode(model, demonstrations), [[each] for each in ANSWERS]
    rows = [Query(query, answers) for query in queries]
    whole = [Query([*demonstrations, *query], answers) for query in queries[:REPEATED]]
    return {
        "encode": lambda: np.asarray(jax.block_until_ready(encode(model, demonstrations)).length),
        "shared": lambda: score(model, rows, history, SHARED).sums,
        "repeated": lambda: score(model, whole, None, REPEATED).sums,
    }


def transformers(folder: pathlib.Path) -> dict[str, Callable[[], np.ndarray]]:
    """Return the same by `transformers`, which computes logits of the last token alone, as the lab does."""
    torch, hub = importlib.import_module("torch"), importlib.import_module("transformers")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    if not (folder / "config.json").exists():
        hub.OPTForCausalLM(hub.OPTConfig()).save_pretrained(folder)
    model = hub.OPTForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    demonstrations, queries = (torch.tensor(each) for each in tokens())

    def encode():
        cache = hub.DynamicCache()
        read(model, demonstrations[None], cache, use_cache=True, logits_to_keep=1)
        return [(layer.keys, layer.values) for layer in cache.layers]

    past = encode()

    def log_p(rows, cache=None):
        logits = read(model, rows, cache, use_cache=cache is not None, logits_to_keep=1).logits[:, -1]
        return torch.log_softmax(logits, dim=-1)[:, list(ANSWERS)].numpy()

    def shared():
        cache = hub.DynamicCache()
        for layer, pair in enumerate(past):
            cache.update(*(each.expand(SHARED, -1, -1, -1) for each in pair), layer)
        return log_p(queries, cache)

    def repeated():
        return log_p(torch.cat([demonstrations[None].expand(REPEATED, -1), queries[:REPEATED]], dim=1))

    return {"encode": lambda: np.array(len(encode())), "shared": shared, "repeated": repeated}


def work(side: str, folder: pathlib.Path) -> None:
    """Make one measurement per line of the standard input, after a first one of each that is not counted."""
    calls = {"lab": lab, "transformers": transformers}[side](folder)
    results = {what: np.asarray(call(), float).tolist() for what, call in calls.items()}
    print(json.dumps(results), flush=True)
    for line in sys.stdin:
        processor = time.process_time()
        calls[line.strip()]()
        print(time.process_time() - processor, flush=True)


def main(python: str, folder: str, rounds: int = 5) -> None:
    """Measure both sides in turns and print a table."""
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(pathlib.Path.cwd()), "PYTHONWARNINGS": "ignore"}
    sides, first = {}, {}
    for side, interpreter in (("transformers", python), ("lab", sys.executable)):
        command = [interpreter, "-c", PROGRAM.format(side, folder)]
        sides[side] = subprocess.Popen(command, text=True, env=environment, stdin=PIPE, stdout=PIPE)
        first[side] = json.loads(sides[side].stdout.readline())
    for what in ("shared", "repeated"):
        difference = np.abs(np.subtract(first["lab"][what], first["transformers"][what])).max()
        print(f"{what}: log-probabilities differ by at most {difference:.1e}", file=sys.stderr)
    print("measurement,program,seconds,smallest,largest,rounds")
    for what, count in WHAT.items():
        times = {side: [] for side in sides}
        for _ in range(rounds):
            for side, process in sides.items():
                process.stdin.write(f"{what}\n")
                process.stdin.flush()
                times[side].append(float(process.stdout.readline()) / count)
        for side, seconds in times.items():
            middle = statistics.median(seconds)
            print(f"{what},{side},{middle:.4f},{min(seconds):.4f},{max(seconds):.4f},{rounds}", flush=True)
    for process in sides.values():
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["5"])[0]))
