"""Programs compiled when they are first called, and the seconds that compiling and running them took."""

import contextlib
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp

from lab.runs import interrupt
from lab.runs.memory import enough_memory, fitting


class Stopwatch:
    """Seconds by what they were spent on."""

    def __init__(self):
        self.started = time.perf_counter()
        self.seconds = {"setup": 0.0, "compile": 0.0, "train": 0.0, "evaluate": 0.0}

    @contextlib.contextmanager
    def on(self, name: str):
        begun = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - begun

    def add(self, before: dict[str, float]) -> None:
        """What was spent before, by `total`, in a process that was killed."""
        self.started -= before["total"]
        self.seconds = {name: seconds + before[name] for name, seconds in self.seconds.items()}

    def total(self) -> dict[str, float]:
        return self.seconds | {"total": time.perf_counter() - self.started}


class Programs:
    """Functions by name, and a program of each for every structure, shapes and types of arguments it is called with.

    chunk: the episodes that are measured at a time; 0 for as many as the memory lets expect.
    """

    def __init__(self, watch: Stopwatch, chunk: int):
        self.compiled: dict[tuple, Callable] = {}  # (name, structure, shapes and types) -> program
        self.watch, self._chunk = watch, chunk
        self._fits: dict[tuple, int] = {}  # asked once, as free memory comes and goes

    def run(self, purpose: str, name: object, function: Callable, *arguments, **options):
        """function(*arguments), compiled when it is called for the first time by that name with such arguments.

        Raises:
            UserError: the device has too little memory.
        """
        interrupt.check()
        key = self._key(name, arguments)
        if key not in self.compiled:
            with self.watch.on("compile"):
                self.compiled[key] = jax.jit(function, **options).lower(*arguments).compile()
        advice = "not enough memory: lower train.batch_size, population.seeds or the sizes of task and model"
        with enough_memory(advice), self.watch.on(purpose):
            return jax.block_until_ready(self.compiled[key](*arguments))

    def fit(self, name: object, function: Callable, *arguments) -> int:
        """How many of the episodes, the last of the arguments, a program measures at a time."""
        episodes = arguments[-1].batch_size
        if self._chunk:
            return min(self._chunk, episodes)
        key = self._key(name, arguments)
        if key not in self.compiled:
            with self.watch.on("compile"):
                self.compiled[key] = jax.jit(function).lower(*arguments).compile()
        if key not in self._fits:
            self._fits[key] = fitting(episodes, self.compiled[key])
        return self._fits[key]

    def _key(self, name: object, arguments: tuple) -> tuple:
        leaves, structure = jax.tree.flatten(arguments)
        return name, structure, tuple((jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves)
