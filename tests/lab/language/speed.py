"""Seconds per scored query of SmolLM2-135M, beside `transformers` and `llama-cpp-python` on the same processor.

    python -m tests.lab.language.speed FILE.gguf ROUNDS transformers=PYTHON llama_cpp=PYTHON

Each PYTHON is an interpreter with torch, transformers and gguf, or with llama_cpp; either may be left out. All read
the same file, have one thread, and work in turns, one round after another, so that what else runs on the machine slows
all. The lab and transformers dequantise the weights, to either type; llama.cpp multiplies with those of 4 bits. Printed
are processor seconds of one reading or query: the median over the rounds, the smallest and the largest; and how far
log-probabilities are from those of the lab in float32. docs/results/language_speed.csv is such a table.

A query is 32 tokens with two answers of one token, behind 16 demonstrations of 30 tokens:

* encode: the demonstrations are read once, 480 tokens;
* shared: queries behind their keys and values, 16 at a time (transformers: a cache that is expanded to 16 rows;
  llama.cpp: one query after another);
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
from typing import Any

import numpy as np

from tests.lab.language.golden.make import read

DEMONSTRATIONS, QUERY, SHARED, REPEATED, ANSWERS = 16 * 30, 32, 16, 4, (5, 6)
WHAT = {"encode": 1, "shared": SHARED, "repeated": REPEATED}  # readings or queries of one measurement
ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
}
PROGRAM = "from tests.lab.language.speed import *; work({!r}, pathlib.Path({!r}), {!r})"


def tokens() -> tuple[list[int], list[list[int]]]:
    """Return the demonstrations and the queries, the same on both sides."""
    draw = np.random.default_rng(0)
    return draw.integers(10, 40_000, DEMONSTRATIONS).tolist(), draw.integers(10, 40_000, (SHARED, QUERY)).tolist()


def lab(file: pathlib.Path, dtype: str) -> dict[str, Callable[[], np.ndarray]]:
    """Return the lab's measurements."""
    import jax

    from lab.language.scoring import Query, encode, score
    from lab.language.weights import load

    model, (demonstrations, queries) = load(file, dtype), tokens()
    history, answers = encode(model, demonstrations), [[each] for each in ANSWERS]
    rows = [Query(query, answers) for query in queries]
    whole = [Query([*demonstrations, *query], answers) for query in queries[:REPEATED]]
    return {
        "encode": lambda: np.asarray(jax.block_until_ready(encode(model, demonstrations)).length),
        "shared": lambda: score(model, rows, history, SHARED).sums,
        "repeated": lambda: score(model, whole, None, REPEATED).sums,
    }


def llama_cpp(file: pathlib.Path, dtype: str) -> dict[str, Callable[[], np.ndarray]]:
    """Return the same by llama.cpp, which goes back to the end of the demonstrations for each query."""
    module = importlib.import_module("llama_cpp")
    demonstrations, queries = tokens()
    model = module.Llama(str(file), n_ctx=1024, n_batch=512, n_threads=1, n_threads_batch=1, verbose=False)

    def log_p(query):
        model.eval(query)
        logits = model.scores[model.n_tokens - 1].astype(np.float64)
        return (logits - np.logaddexp.reduce(logits))[[*ANSWERS]]

    def encode():
        model.reset()
        model.eval(demonstrations)
        return np.array(len(demonstrations))

    def shared():
        results = []
        for query in queries:
            model.n_tokens = len(demonstrations)
            results.append(log_p(query))
        return np.array(results)

    def repeated():
        results = []
        for query in queries[:REPEATED]:
            model.reset()
            results.append(log_p([*demonstrations, *query]))
        encode()
        return np.array(results)

    return {"encode": encode, "shared": shared, "repeated": repeated}


def transformers(file: pathlib.Path, dtype: str) -> dict[str, Callable[[], np.ndarray]]:
    """Return the same by `transformers`, which computes logits of the last token alone, as the lab does."""
    torch, hub = importlib.import_module("torch"), importlib.import_module("transformers")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    model = hub.AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=getattr(torch, dtype))
    model = model.eval()
    demonstrations, queries = (torch.tensor(each) for each in tokens())

    def encode():
        cache = hub.DynamicCache()
        read(model, demonstrations[None], cache, use_cache=True, logits_to_keep=1)
        return [(layer.keys, layer.values) for layer in cache.layers]

    past = encode()

    def log_p(rows, cache=None):
        logits = read(model, rows, cache, use_cache=cache is not None, logits_to_keep=1).logits[:, -1]
        return torch.log_softmax(logits.float(), dim=-1)[:, list(ANSWERS)].numpy()

    def shared():
        cache = hub.DynamicCache()
        for layer, pair in enumerate(past):
            cache.update(*(each.expand(SHARED, -1, -1, -1) for each in pair), layer)
        return log_p(queries, cache)

    def repeated():
        return log_p(torch.cat([demonstrations[None].expand(REPEATED, -1), queries[:REPEATED]], dim=1))

    return {"encode": lambda: np.array(len(encode())), "shared": shared, "repeated": repeated}


def work(side: str, file: pathlib.Path, dtype: str) -> None:
    """Make one measurement per line of the standard input, after a first one of each that is not counted."""
    calls = {"lab": lab, "transformers": transformers, "llama_cpp": llama_cpp}[side](file, dtype)
    results = {what: np.asarray(call(), float).tolist() for what, call in calls.items()}
    print(json.dumps(results), flush=True)
    for line in sys.stdin:
        processor = time.process_time()
        calls[line.strip()]()
        print(time.process_time() - processor, flush=True)


def main(file: str, rounds: int, interpreters: dict[str, str]) -> None:
    """Measure all sides in turns and print a table."""
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(pathlib.Path.cwd()), "PYTHONWARNINGS": "ignore"}
    programs = {"lab": sys.executable, **interpreters}
    sides = {
        (side, dtype): python
        for side, python in programs.items()
        for dtype in (("4 bits",) if side == "llama_cpp" else ("float32", "bfloat16"))
    }
    processes, first = {}, {}
    for (side, dtype), python in sides.items():
        command = [python, "-c", PROGRAM.format(side, file, dtype)]
        process: Any = subprocess.Popen(command, text=True, env=environment, stdin=PIPE, stdout=PIPE)
        processes[side, dtype], first[side, dtype] = process, json.loads(process.stdout.readline())
    print("measurement,program,type,seconds,smallest,largest,rounds,distance")
    for what, count in WHAT.items():
        times = {side: [] for side in processes}
        for _ in range(rounds):
            for side, process in processes.items():
                process.stdin.write(f"{what}\n")
                process.stdin.flush()
                times[side].append(float(process.stdout.readline()) / count)
        for side, seconds in times.items():
            distance = ""  # of what is encoded there are no log-probabilities
            if what != "encode":
                distance = f"{np.abs(np.subtract(first[side][what], first['lab', 'float32'][what])).max():.1e}"
            numbers = (statistics.median(seconds), min(seconds), max(seconds))
            print(what, *side, *(f"{number:.4f}" for number in numbers), rounds, distance, sep=",", flush=True)
    for process in processes.values():
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), dict(each.split("=", 1) for each in sys.argv[3:]))
