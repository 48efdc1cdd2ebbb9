"""The seconds that the runs of one program took together, as entries of summary.json."""

from collections.abc import Sequence
from typing import Protocol

from trainers.programs import Stopwatch
from trainers.recipe import training_of
from trainers.slice import RunSlice


class Timed(Protocol):
    """A population in training, with its stopwatch, such as `trainers.session.Session`."""

    @property
    def watch(self) -> Stopwatch: ...

    @property
    def size(self) -> int:
        """The number of models that are trained together."""
        ...


def cost(session: Timed, runs: Sequence[RunSlice]) -> dict:
    """Return seconds by purpose, training steps per second, and how many models and runs shared these seconds."""
    record, seconds = runs[0].record, session.watch.total()
    steps = next((each["step"] for each in record.stopped.values()), training_of(record.settings).steps)
    shared = {"together": {"models": session.size, "runs": len(runs)}} if session.size > 1 else {}
    return {"seconds": seconds, "steps_per_second": steps / seconds["train"] if seconds["train"] else None} | shared
