"""Several processes, on one machine or on many, that train one population over all their devices (`hosts.*`).

All processes run the same lines in the same order. Files, tables and the terminal belong to the first process alone: a
function decorated with `on_first_process` runs there, and its result or its exception is sent to all. So all processes
take the same branches and end together. With a single process every function here just calls its argument.

If one process ends early (it was killed, or had an error of its own), the others end too: either their next exchange
fails at once, or JAX's coordinator ends them. It waits PATIENCE for a process that leaves in good order, and JAX's 100
s for one that falls silent. The same command then goes on from the last checkpoint.
"""

import functools
import json
import pickle
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from lab.config.base import Base
from lab.config.identity import iter_settings
from lab.errors import NoMemory, UserError
from lab.runs import interrupt

PATIENCE = 10  # seconds that a leaving process waits for the others; normally all leave at once
SMALLEST = 2**10  # bytes of a message; longer ones are padded to a power of two, as each length compiles a program
ON_ALL = "raised_on_all_processes"  # attribute of an exception that was sent to all processes

P = ParamSpec("P")
R = TypeVar("R")
Outcome = tuple[Any, Exception | None]  # (the result of a call, the exception that it raised)

_several = False  # this process is connected to others
_local = False  # inside a call whose outcome will be sent to all: calls within it run here alone and send nothing


def initialize_distributed(settings: Base) -> None:
    """Connect to the other processes, if `hosts` says that there are any; before JAX is asked for its devices.

    Raises:
        UserError: they cannot be connected, or were started with different settings.
    """
    global _several
    wanted = settings.hosts
    if not (wanted.auto or wanted.coordinator):
        return
    import jax

    if not jax.distributed.is_initialized():
        jax.config.update("jax_enable_preemption_service", False)  # it would handle SIGTERM itself
        connect = functools.partial(jax.distributed.initialize, shutdown_timeout_seconds=PATIENCE)
        if not wanted.auto:
            connect = functools.partial(
                connect,
                coordinator_address=wanted.coordinator,
                num_processes=wanted.processes,
                process_id=wanted.process,
                cluster_detection_method="deactivate",
            )
        try:
            connect()
        except (RuntimeError, ValueError) as error:
            setting = "hosts.auto=true" if wanted.auto else f"hosts.coordinator={wanted.coordinator}"
            raise UserError(f"{setting}: the processes do not meet ({str(error).splitlines()[0]})") from error
        _several = jax.process_count() > 1
    if _several:
        interrupt.agree_by(_maximum)
        _check_same_settings(settings)


def several() -> bool:
    """Return whether this process is connected to others."""
    return _several


def first() -> bool:
    """Return whether this is the process that writes files and prints; always true of a single process."""
    if not _several:
        return True
    import jax

    return jax.process_index() == 0


def on_first_process(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function so that it runs on the first process, its result or exception shared by all processes."""

    @functools.wraps(function)
    def everywhere(*arguments: P.args, **options: P.kwargs) -> R:
        call = functools.partial(function, *arguments, **options)
        if not _several or _local:
            return call()
        return _share(0, _outcome(call) if first() else None)

    return everywhere


def split_over_processes(function: Callable[[int], R], count: int) -> list[R]:
    """Return [function(0), ..., function(count - 1)] on every process, each of which computes a part of the list.

    The function must not exchange anything with other processes.
    """
    if not _several:
        return [function(index) for index in range(count)]
    import jax

    here, processes = jax.process_index(), jax.process_count()
    mine = _outcome(lambda: [function(index) for index in range(here, count, processes)])
    parts = [_share(process, mine) for process in range(processes)]
    return [parts[index % processes][index // processes] for index in range(count)]


def same_on_all_processes(error: Exception) -> bool:
    """Return whether all processes raised this error: then they can go on together."""
    follows = isinstance(error, UserError) and not isinstance(error, NoMemory)  # from settings and files alone
    return not _several or follows or getattr(error, ON_ALL, False)


def _outcome(call: Callable[[], object]) -> Outcome:
    """Run a call on this process alone, and return its result or its exception."""
    global _local
    _local = True
    try:
        return call(), None
    except Exception as error:
        setattr(error, ON_ALL, True)
        return None, error
    finally:
        _local = False


def _share(source: int, mine: Outcome | None) -> Any:
    """Share the outcome of a call on the process `source`: return its result, or raise its exception, on all processes.

    mine: the outcome on this process; None where this process did not run the call.
    """
    import jax

    local = mine if jax.process_index() == source else None
    received = pickle.loads(_broadcast(b"" if local is None else pickle.dumps(_portable(*local)), source))
    value, error = received if local is None else local  # raise the local exception, which has its traceback
    if error is not None:
        setattr(error, ON_ALL, True)
        raise error
    return value


def _portable(value: Any, error: Exception | None) -> Outcome:
    """Replace an exception that cannot be pickled by a RuntimeError with its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # pickle's errors have no common type
        error = RuntimeError(repr(error))
    return value, error


def _broadcast(message: bytes, source: int) -> bytes:
    """Return on all processes the message of the process `source`."""
    import jax
    import numpy as np
    from jax.experimental.multihost_utils import broadcast_one_to_all

    here = jax.process_index() == source
    length = int(broadcast_one_to_all(np.uint32(len(message)), is_source=here))
    padded = np.zeros(max(SMALLEST, 1 << (length - 1).bit_length()), np.uint8)
    padded[: len(message)] = np.frombuffer(message, np.uint8)
    return broadcast_one_to_all(padded, is_source=here)[:length].tobytes()


def _maximum(number: int) -> int:
    """Return on all processes the largest of their numbers."""
    import numpy as np
    from jax.experimental.multihost_utils import process_allgather

    return int(np.max(process_allgather(np.int32(number))))


def _check_same_settings(settings: Base) -> None:
    """Refuse (UserError) other settings than the first process has; own number and paths of files may differ."""
    may_differ = ("hosts.process", "run.dir", "data.dir", "data.path", "data.cache")
    values = {setting.key: setting.value for setting in iter_settings(settings) if setting.key not in may_differ}
    mine = json.dumps(values, sort_keys=True)
    differ = _maximum(int(on_first_process(lambda: mine)() != mine))
    if differ:
        raise UserError("hosts: the processes were started with different settings; give all of them the same")
