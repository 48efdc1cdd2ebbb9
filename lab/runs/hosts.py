"""Several processes, on one machine or on many, that train one population over all their devices (`hosts.*`).

All run the same lines in the same order. What one alone may do (files, tables, the terminal) is done by the first: a
function that is `told` runs there, and what it gives or raises is given and raised in all. So they take the same
branches, and end together. Where there is one process, each function here is what it would be without.

A process that ends while the others go on (it was killed, or an error was its own) takes them with it: they fail in
their next exchange at once, or JAX's coordinator ends them, after PATIENCE where a process leaves in good order, after
JAX's 100 s where it falls silent. The same command goes on from the last checkpoint.
"""

import functools
import json
import pickle
from collections.abc import Callable

import numpy as np

from lab.config.base import Base
from lab.config.identity import each
from lab.errors import NoMemory, UserError
from lab.runs import interrupt

PATIENCE = 10  # seconds that a process which leaves waits for the others: in good order all leave at once
SMALLEST = 2**10  # bytes that are sent; longer messages are padded to a power of two, as each length is a program

_several = False  # this process has met others
_telling = False  # it is inside a function that is told: what is told inside concerns nobody else


def initialize_distributed(settings: Base) -> None:
    """Meet the others, where `hosts` says that there are any; before JAX is asked for its devices.

    Raises:
        UserError: they cannot be met, or were started with other settings.
    """
    global _several
    import jax

    wanted = settings.hosts
    if not (wanted.auto or wanted.coordinator):
        return
    if not jax.distributed.is_initialized():
        jax.config.update("jax_enable_preemption_service", False)  # it takes SIGTERM for itself
        explicit = dict(
            coordinator_address=wanted.coordinator,
            num_processes=wanted.processes,
            process_id=wanted.process,
            cluster_detection_method="deactivate",
        )
        try:
            jax.distributed.initialize(**({} if wanted.auto else explicit), shutdown_timeout_seconds=PATIENCE)
        except (RuntimeError, ValueError) as error:
            asked = "hosts.auto=true" if wanted.auto else f"hosts.coordinator={wanted.coordinator}"
            raise UserError(f"{asked}: the processes do not meet ({str(error).splitlines()[0]})") from error
        _several = jax.process_count() > 1
    if _several:
        interrupt.agree_by(_highest)
        _same_settings(settings)


def several() -> bool:
    """Whether other processes work on the same."""
    return _several


def first() -> bool:
    """Whether this is the process that writes and speaks."""
    if not _several:
        return True
    import jax

    return jax.process_index() == 0


def on_first_process(function: Callable) -> Callable:
    """Decorator: the function runs in the first process; what it gives, or raises, so it does in all."""

    @functools.wraps(function)
    def everywhere(*arguments, **options):
        call = functools.partial(function, *arguments, **options)
        if not _several or _telling:
            return call()
        return _of(0, _outcome(call) if first() else None)

    return everywhere


def split_over_processes(function: Callable, count: int) -> list:
    """[function(0), function(1), ...]: each process calls it for its share, without the others' help, and tells."""
    if not _several:
        return [function(index) for index in range(count)]
    import jax

    here, processes = jax.process_index(), jax.process_count()
    mine = _outcome(lambda: [function(index) for index in range(here, count, processes)])
    parts = [_of(process, mine) for process in range(processes)]
    return [parts[index % processes][index // processes] for index in range(count)]


def same_on_all_processes(error: Exception) -> bool:
    """Whether all processes met this error: then they can go on with something else."""
    follows = isinstance(error, UserError) and not isinstance(error, NoMemory)  # from what all know
    return not _several or follows or getattr(error, "told", False)


def _outcome(call: Callable) -> tuple[object, Exception | None]:
    """(what it gives, what it raises)."""
    global _telling
    _telling = True
    try:
        return call(), None
    except Exception as error:
        error.told = True
        return None, error
    finally:
        _telling = False


def _of(source: int, mine: tuple | None):
    """What the outcome was in that process, for all."""
    import jax

    here = jax.process_index() == source
    value, error = pickle.loads(_sent(pickle.dumps(_portable(*mine)) if here else b"", source))
    if here:  # the original, with its traceback
        value, error = mine
    if error is not None:
        error.told = True
        raise error
    return value


def _portable(value, error: Exception | None):
    """The same with an error that another process can read."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # pickle has no common type
        error = RuntimeError(repr(error))
    return value, error


def _sent(message: bytes, source: int) -> bytes:
    """That process's message, in all of them."""
    import jax
    from jax.experimental.multihost_utils import broadcast_one_to_all

    here = jax.process_index() == source
    length = int(broadcast_one_to_all(np.uint32(len(message)), is_source=here))
    padded = np.zeros(max(SMALLEST, 1 << (length - 1).bit_length()), np.uint8)
    padded[: len(message)] = np.frombuffer(message, np.uint8)
    return broadcast_one_to_all(padded, is_source=here)[:length].tobytes()


def _highest(number: int) -> int:
    from jax.experimental.multihost_utils import process_allgather

    return int(np.max(process_allgather(np.int32(number))))


def _same_settings(settings: Base) -> None:
    """
    Raises:
        UserError: a process has others than the first; they may differ in who it is and where its files are.
    """
    theirs_may_differ = ("hosts.process", "run.dir", "data.dir", "data.path", "data.cache")
    values = {setting.key: setting.value for setting in each(settings) if setting.key not in theirs_may_differ}
    mine = json.dumps(values, sort_keys=True)
    differ = _highest(int(on_first_process(lambda: mine)() != mine))
    if differ:
        raise UserError("hosts: the processes were started with different settings; give all of them the same")
