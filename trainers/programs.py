"""Programs that are compiled when they are first called, and the seconds that compiling and running them took."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import jax
import jax.numpy as jnp

from lab.config.experiments import duration
from lab.errors import TooLarge
from lab.runs import interrupt, machine
from lab.runs.devices import device_name
from lab.runs.memory import fitting, only_compiling
from trainers.traced import Size, size_of

R = TypeVar("R")
DOING = {"train": "training", "evaluate": "an evaluation", "setup": "preparing the training"}
RATE = 5e9  # multiply-adds per second of one processor core, in products of small matrices
SHORT = 2e9  # multiply-adds of a program that takes less time to run than to compile
# Without XLA's emitters of fused loops, which go through MLIR, a program is compiled in two thirds of the time.
WITHOUT_EMITTERS: dict[str, str | bool] = {"xla_cpu_use_fusion_emitters": False}
UNKNOWN = "No such compile option"  # what a version of XLA without this option says
SILENCE = 3600.0  # seconds: a program that would take longer, and show no progress, is refused on a CPU


class Stopwatch:
    """Seconds of a run by purpose: setup, compile, train, evaluate; and in total.

    `processor`: seconds of the processor in training, summed over threads; other work on the machine hardly changes
    them. `devices`: names of the devices that it trained on (`device_name`); a training may go on elsewhere after a
    stop.
    """

    def __init__(self):
        self.started = time.perf_counter()
        self.devices: list[str] = []
        self.seconds = {"setup": 0.0, "compile": 0.0, "train": 0.0, "evaluate": 0.0, "processor": 0.0}

    @contextlib.contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Add the seconds of the `with` block to the seconds of a purpose."""
        begun, begun_processor = time.perf_counter(), time.process_time()
        yield
        self.seconds[name] += time.perf_counter() - begun
        if name == "train":
            self._trained_on([device_name()])
            self.seconds["processor"] += time.process_time() - begun_processor

    def add(self, earlier: dict[str, float], devices: Sequence[str] = ()) -> None:
        """Add the seconds that an earlier process spent on the same run before it was killed, as its `total` returned
        them, and the devices that it trained on."""
        self._trained_on(devices)
        self.started -= earlier["total"]
        self.seconds = {name: seconds + earlier.get(name, 0.0) for name, seconds in self.seconds.items()}

    def add_training(self, earlier: dict[str, float], devices: Sequence[str] = (), share: float = 1.0) -> None:
        """Add a share of the seconds of a training by another run, and its devices.

        The total counts this run alone.
        """
        self.add({name: share * earlier.get(name, 0.0) for name in ("train", "processor")} | {"total": 0.0}, devices)

    def total(self) -> dict[str, float]:
        """Return {purpose: seconds so far}, with all seconds since the start as `total`."""
        return self.seconds | {"total": time.perf_counter() - self.started}

    def _trained_on(self, devices: Sequence[str]) -> None:
        self.devices += [name for name in devices if name not in self.devices]


def options_for_one_call() -> dict:
    """Return options of `jax.jit` for a program that runs once, and for less time than it takes to compile.

    Of the 9 to 11 seconds of processor time in which weights before training are compiled on a CPU, half go into LLVM's
    higher levels of optimisation. The weights are the same.
    """
    if jax.default_backend() != "cpu" or jax.config.values["jax_disable_most_optimizations"]:
        return {}
    return {"compiler_options": {"xla_backend_optimization_level": 1}}


class Programs:
    """A store of compiled programs: one per name of a function and structure, shapes and dtypes of its arguments.

    Args:
        watch: receives the seconds of compiling and running.
        chunk: the episodes that are measured at a time; 0 for as many as are expected to fit into memory.
    """

    def __init__(self, watch: Stopwatch, chunk: int):
        self.compiled: dict[tuple, jax.stages.Compiled] = {}  # (name, structure, shapes and dtypes) -> program
        self.watch, self._chunk = watch, chunk
        self._fits: dict[tuple, int] = {}  # computed once per program, as the amount of free memory changes

    def run(self, purpose: str, name: object, function: Callable[..., R], *arguments, turns: int = 1, **options) -> R:
        """Return function(*arguments); the function is compiled at its first call under this name with such arguments.

        Args:
            purpose: the entry of the stopwatch that the seconds of running are added to.
            name: stands for the function: functions of one name must be the same.
            turns: the most turns of a loop whose number of turns is traced.
            options: of `jax.jit`.

        Raises:
            TooLarge: it takes more memory than there is, or hours.
        """
        interrupt.check()
        program = self.compile(purpose, name, function, *arguments, turns=turns, **options)
        with self.watch.on(purpose):
            return jax.block_until_ready(program(*arguments))

    def compile(
        self, purpose: str, name: object, function: Callable, *arguments, turns: int = 1, **options
    ) -> jax.stages.Compiled:
        """Return the program of a function, as `run` does; it is compiled the first time."""
        key = self._key(name, arguments)
        if key not in self.compiled:
            with self.watch.on("compile"):
                traced = jax.jit(function, **options).trace(*arguments)
                size = size_of(traced)
                _refuse_silence(purpose, size, turns)
                self.compiled[key] = _compiled(purpose, traced, size)
        return self.compiled[key]

    def fit(self, name: object, function: Callable, *arguments) -> int:
        """Return how many episodes a program measures at a time. The episodes are the last argument.

        Raises:
            TooLarge: all fit, and would take hours; parts are looked at when they are compiled.
        """
        episodes = arguments[-1].batch_size
        if self._chunk:
            return min(self._chunk, episodes)
        key = self._key(name, arguments)
        if key not in self._fits:
            traced = jax.jit(function).trace(*arguments)
            size = size_of(traced)
            if key not in self.compiled:
                with self.watch.on("compile"), only_compiling():
                    self.compiled[key] = _compiled("evaluate", traced, size)
            self._fits[key] = fitting(episodes, self.compiled[key])
            if self._fits[key] == episodes:
                _refuse_silence("evaluate", size)
        return self._fits[key]

    def _key(self, name: object, arguments: tuple) -> tuple:
        leaves, structure = jax.tree.flatten(arguments)
        return name, structure, tuple((jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves)


def _compiled(purpose: str, traced: jax.stages.Traced, size: Size) -> jax.stages.Compiled:
    """Return the compiled program. On a CPU a short program that trains nothing is compiled without fusion emitters.

    Its results are the same to rounding. A version of XLA that does not know this option compiles all programs alike.
    """
    lowered = traced.lower()
    if purpose == "train" or size.operations > SHORT or jax.default_backend() != "cpu":
        return lowered.compile()
    try:
        return lowered.compile(WITHOUT_EMITTERS)
    except jax.errors.JaxRuntimeError as error:
        if UNKNOWN not in str(error):
            raise
        return lowered.compile()


def _refuse_silence(purpose: str, size: Size, turns: int = 1) -> None:
    """Raise TooLarge where a program would take hours."""
    seconds = turns * size.operations / (RATE * machine.cores())
    if jax.default_backend() == "cpu" and seconds > SILENCE:
        what = DOING.get(purpose, purpose)
        raise TooLarge(f"{what} would give no sign for {duration(seconds)}", size.lengths)
